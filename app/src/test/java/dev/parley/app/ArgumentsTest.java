package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import java.net.InetAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
    @Test
    void readsOptionsWithSpaceOrEqualsSign() {
        Arguments arguments = Arguments.parse(new String[] {"up", "--http", "9000", "--udp=4000"});

        assertThat(arguments.command()).isEqualTo("up");
        assertThat(arguments.options("http", "udp"))
                .containsExactlyInAnyOrderEntriesOf(Map.of("http", "9000", "udp", "4000"));
    }

    @Test
    void namesAnUnknownOptionAndTheKnownOnes() {
        Arguments arguments = Arguments.parse(new String[] {"up", "--htpp", "9000"});

        assertThatThrownBy(() -> arguments.options("http", "udp"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("up has no option --htpp: its options are --http, --udp");
    }

    @Test
    void namesAnOptionWithoutValue() {
        Arguments arguments = Arguments.parse(new String[] {"up", "--http"});

        assertThatThrownBy(() -> arguments.options("http")).hasMessage("--http needs a value");
    }

    @Test
    void refusesAStrayWord() {
        Arguments arguments = Arguments.parse(new String[] {"up", "http", "9000"});

        assertThatThrownBy(() -> arguments.options("http"))
                .hasMessage("up does not take 'http': its options are --http");
    }

    @Test
    void upHasDefaults() {
        UpOptions options = UpOptions.of(Map.of());
        assertThat(options.httpPort()).isEqualTo(8080);
        assertThat(options.udpPort()).isEqualTo(3478);
        assertThat(options.publicAddresses()).startsWith(InetAddress.ofLiteral("127.0.0.1"));
    }

    @Test
    void upAdvertisesOnlyTheAddressThatItIsTold() {
        assertThat(UpOptions.of(Map.of("public-address", "192.0.2.7")).publicAddresses())
                .containsExactly(InetAddress.ofLiteral("192.0.2.7"));
    }

    @ParameterizedTest
    @CsvSource({"http,-1", "http,65536", "http,http", "udp,''", "udp,1.5"})
    void upNamesAPortThatIsNone(String option, String value) {
        assertThatThrownBy(() -> UpOptions.of(Map.of(option, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--" + option + " is '" + value + "'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "",
                "1.2.3",
                "999.1.1.1",
                "0.0.0.0",
                "::",
                "127.0.0.1:80",
                ":::"
            })
    void upNamesAPublicAddressThatBrowsersCannotUse(String value) {
        assertThatThrownBy(() -> UpOptions.of(Map.of("public-address", value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--public-address is '" + value + "'");
    }
}
