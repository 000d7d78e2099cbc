package dev.parley.signaling.steering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.cluster.Location;
import io.helidon.http.HeaderNames;
import io.helidon.http.WritableHeaders;
import java.net.InetAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocationHeadersTest {
    private static final Map<String, String> CLOUDFLARE =
            Map.of(
                    "country", "CF-IPCountry",
                    "city", "CF-IPCity",
                    "latitude", "CF-IPLatitude",
                    "longitude", "CF-IPLongitude",
                    "pop", "CF-Ray");

    private static Whereabouts read(Map<String, String> names, String... headers) {
        WritableHeaders<?> given = WritableHeaders.create();
        for (int i = 0; i < headers.length; i += 2) {
            given.set(HeaderNames.create(headers[i]), headers[i + 1]);
        }
        return new LocationHeaders(names).read(given, InetAddress.ofLiteral("198.51.100.7"));
    }

    @Test
    void readsCloudflares() {
        Whereabouts where =
                read(
                        CLOUDFLARE,
                        "CF-IPCountry",
                        "nl",
                        "CF-IPCity",
                        "Amsterdam",
                        "CF-IPLatitude",
                        "52.37",
                        "CF-IPLongitude",
                        "4.9",
                        "CF-Ray",
                        "230b030023ae2822-AMS");
        assertThat(where.country()).contains("NL");
        assertThat(where.city()).contains("Amsterdam");
        assertThat(where.location()).contains(new Location(52.37, 4.9));
        assertThat(where.pop()).contains("AMS");
        assertThat(where.text()).isEqualTo("pop=AMS city=Amsterdam country=NL position=52.4,4.9");
    }

    @ParameterizedTest
    @CsvSource({"AMS54-C1, AMS", "cache-ams21033-AMS, AMS", "230b030023ae2822-FRA, FRA", "x, ''"})
    void readsPointsOfPresenceAsNetworksWriteThem(String value, String pop) {
        Whereabouts where = read(Map.of("pop", "X-Amz-Cf-Pop"), "X-Amz-Cf-Pop", value);
        assertThat(where.pop().orElse("")).isEqualTo(pop);
    }

    @ParameterizedTest
    @CsvSource({
        "CF-IPCountry, XX",
        "CF-IPCountry, T1",
        "CF-IPCountry, Netherlands",
        "CF-IPLatitude, 52",
        "CF-IPLatitude, north",
        "CF-IPLongitude, 4.9",
        "CF-IPCountry, ''",
        "X-Country, NL"
    })
    void leavesOutWhatSaysNothing(String name, String value) {
        assertThat(read(CLOUDFLARE, name, value).text()).isEmpty();
    }

    @Test
    void leavesOutPlacesOnNoGlobe() {
        assertThat(read(CLOUDFLARE, "CF-IPLatitude", "91", "CF-IPLongitude", "4").location())
                .isEmpty();
    }
}
