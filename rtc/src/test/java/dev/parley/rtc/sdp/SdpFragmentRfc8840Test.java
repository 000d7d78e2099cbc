package dev.parley.rtc.sdp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.rtc.ice.IceCredentials;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SdpFragmentRfc8840Test {
    private static final String UFRAG = "a=ice-ufrag:EsAw\r\n";
    private static final String PASSWORD = "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n";

    /** RFC 9725 4.3.2, figure 4. */
    @Test
    void readsATrickleOfWhip() throws SdpException {
        SdpFragment fragment =
                SdpFragment.parse(
                        "a=group:BUNDLE 0 1\r\n"
                                + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"
                                + "a=mid:0\r\n"
                                + UFRAG
                                + PASSWORD
                                + "a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host"
                                + " generation 0 ufrag EsAw network-id 1\r\n"
                                + "a=candidate:3471623853 1 udp 2122194687 x.local 61765 typ host\r\n"
                                + "a=end-of-candidates\r\n");

        assertThat(requireNonNull(fragment.credentials()).ufrag()).isEqualTo("EsAw");
        assertThat(fragment.credentials().password()).isEqualTo("P2uYro0UCOQ4zxjKXaWCBui1");
        assertThat(fragment.candidates()).isEqualTo(2);
        assertThat(fragment.endOfCandidates()).isTrue();
    }

    @Test
    void takesCredentialsThatEverySectionRepeats() throws SdpException {
        String section = "m=audio 9 RTP/AVP 0\n" + UFRAG + PASSWORD;
        assertThat(SdpFragment.parse(section + section).credentials()).isNotNull();
    }

    @Test
    void mayNameNoCredentials() throws SdpException {
        SdpFragment fragment = SdpFragment.parse("a=end-of-candidates");
        assertThat(fragment).isEqualTo(new SdpFragment(null, 0, true));
        assertThat(SdpFragment.parse("")).isEqualTo(new SdpFragment(null, 0, false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=ice-ufrag:EsAw | line 1 (a=ice-ufrag:EsAw): ice-ufrag and ice-pwd come together",
                "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1 | come together",
                "a=ice-ufrag:abcd;a=ice-ufrag:efgh | line 2 (a=ice-ufrag:efgh): it differs from line 1",
                "a=ice-ufrag:abc;a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1 | 4 to 256 ice-chars",
                "a=ice-ufrag:abcd;a=ice-pwd:short | line 2 (a=ice-pwd:short): RFC 8839 5.4: 22",
                "a=ice-ufrag:ab_d;a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1 | 4 to 256 ice-chars",
                "v=0 | line 1 (v=0): a fragment has only a= and m= lines",
                "hello | expected a letter",
            })
    void saysWhatIsWrongInWhichLine(String lines, String message) {
        assertThatThrownBy(() -> SdpFragment.parse(lines.replace(";", "\r\n")))
                .isInstanceOf(SdpException.class)
                .hasMessageContaining(message);
    }

    @Test
    void readsNoNovel() {
        assertThatThrownBy(() -> SdpFragment.parse("a=x\n".repeat(SdpFragment.MAX_LINES + 1)))
                .hasMessageContaining("more than 500 lines");
        assertThatThrownBy(() -> SdpFragment.parse("a=" + "x".repeat(SdpFragment.MAX_LENGTH)))
                .hasMessageContaining("longer than 16384 characters");
    }

    /** RFC 9725 4.3.3, figure 6. */
    @Test
    void answersARestart() {
        String answer =
                SdpFragment.answer(
                        new IceCredentials("serverUfrag", "serverPasswordServerPassword"),
                        "0",
                        List.of(new SdpCandidate("203.0.113.10", 3478)));

        assertThat(answer)
                .isEqualTo(
                        String.join(
                                "\r\n",
                                "a=ice-lite",
                                "a=group:BUNDLE 0",
                                "m=audio 9 UDP/TLS/RTP/SAVPF 0",
                                "a=mid:0",
                                "a=ice-ufrag:serverUfrag",
                                "a=ice-pwd:serverPasswordServerPassword",
                                "a=candidate:1 1 udp 2130706431 203.0.113.10 3478 typ host",
                                "a=end-of-candidates",
                                ""));
    }
}
