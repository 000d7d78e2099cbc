package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxiesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "X-Forwarded-For|192.0.2.1|192.0.2.1",
                "X-Forwarded-For|192.0.2.1:4711|192.0.2.1",
                "X-Forwarded-For|2001:db8::7|2001:db8:0:0:0:0:0:7",
                "X-Forwarded-For|[2001:db8::7]:80|2001:db8:0:0:0:0:0:7",
                // A client may write what it likes; our proxies append where it really is.
                "X-Forwarded-For|6.6.6.6, 192.0.2.1, 10.0.0.9|192.0.2.1",
                "X-Forwarded-For|10.0.0.8,10.0.0.9|10.0.0.8",
                "X-Forwarded-For|192.0.2.1, unknown, 10.0.0.9|10.0.0.9",
                "X-Forwarded-For|nonsense|127.0.0.1",
                "X-Forwarded-For|, ,|127.0.0.1",
                "Forwarded|for=192.0.2.1|192.0.2.1",
                "Forwarded|For=\"[2001:db8::7]:4711\"|2001:db8:0:0:0:0:0:7",
                "Forwarded|for=6.6.6.6, proto=https;for=192.0.2.1;by=10.0.0.1|192.0.2.1",
                "Forwarded|for=192.0.2.1, for=_hidden|127.0.0.1",
                "Forwarded|proto=https|127.0.0.1",
                "X-Real-IP|192.0.2.1|127.0.0.1",
            })
    void believesTrustedProxies(String header, String value, String client) {
        try (var fixture = SignalingFixture.with("trusted_proxies", "127.0.0.0/8,10.0.0.0/8")) {
            assertThat(clientAddress(fixture, header, value)).isEqualTo(client);
        }
    }

    @ParameterizedTest
    @CsvSource({"X-Forwarded-For, 192.0.2.1", "Forwarded, for=192.0.2.1"})
    void believesNobodyElse(String header, String value) {
        try (var fixture = SignalingFixture.with("trusted_proxies", "10.0.0.0/8");
                var none = SignalingFixture.with()) {
            assertThat(clientAddress(fixture, header, value)).isEqualTo("127.0.0.1");
            assertThat(clientAddress(none, header, value)).isEqualTo("127.0.0.1");
        }
    }

    private static String clientAddress(SignalingFixture fixture, String header, String value) {
        var request =
                fixture.request("/v1/realtime/calls")
                        .header("Content-Type", "application/sdp")
                        .header(header, value)
                        .POST(HttpRequest.BodyPublishers.ofString(OFFER));
        assertThat(fixture.send(request).statusCode()).isEqualTo(201);
        return fixture.transceiver().created.element().getAttributesOrThrow("client_address");
    }
}
