package dev.parley.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowTextTest {
    private static final String GOOD =
            "1 10.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7";
    private static final StoredRoute ROUTE =
            new StoredRoute(
                    0,
                    IpAddress.low(InetAddress.ofLiteral("10.1.2.3")),
                    7200,
                    7,
                    0x4bf92f3577b34da6L,
                    0xa3ce929d0e0e4736L);

    @Test
    void readsWhatItWrites() {
        assertThat(FlowText.route(ROUTE) + "00f067aa0ba902b7").isEqualTo(GOOD);
        assertThat(FlowText.parse(GOOD)).isEqualTo(ROUTE);
        InetAddress six = InetAddress.ofLiteral("fd00::7");
        StoredRoute other =
                new StoredRoute(IpAddress.high(six), IpAddress.low(six), 65_535, 65_535, -1, 0);
        assertThat(FlowText.parse(FlowText.route(other) + "0000000000000000")).isEqualTo(other);
    }

    @Test
    void namesTheClientAndThePublicAddress() {
        InetAddress client = InetAddress.ofLiteral("2001:db8::7");
        FlowKey key =
                new FlowKey(
                        IpAddress.high(client),
                        IpAddress.low(client),
                        40_000,
                        0,
                        IpAddress.low(InetAddress.ofLiteral("203.0.113.10")),
                        3478);
        assertThat(FlowText.key("parley:flow:", key))
                .isEqualTo("parley:flow:203.0.113.10:3478<[2001:db8:0:0:0:0:0:7]:40000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "2 10.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 10.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e473 by 00f067aa0ba902b7",
                "1 10.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736",
                "1 10.1.2.3:0 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 10.1.2.3:70000 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 10.1.2.3:7200 cluster 70000 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 010.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 10.1.515:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 999.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 [10.1.2.3]:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 [::ffff:10.1.2.3]:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 host:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7",
                "1 10.1.2.3:7200 cluster 7 session 4BF92F3577B34DA6A3CE929D0E0E4736 by 00f067aa0ba902b7",
                "1 10.1.2.3:07200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7"
            })
    void refusesWhatItWouldNotWrite(String value) {
        assertThat(FlowText.parse(value)).isNull();
    }

    @Test
    void refusesDamageQuietly() {
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder damaged = new StringBuilder(GOOD);
            for (int hit = random.nextInt(3); hit >= 0; hit--) {
                int at = random.nextInt(damaged.length());
                switch (random.nextInt(3)) {
                    case 0 -> damaged.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> damaged.deleteCharAt(at);
                    default -> damaged.insert(at, (char) random.nextInt(128));
                }
            }
            StoredRoute parsed = FlowText.parse(damaged.toString());
            if (parsed != null) {
                assertThat(damaged.toString()).startsWith(FlowText.route(parsed));
            }
        }
        assertThat(FlowText.parse("1".repeat(1 << 20))).isNull();
    }
}
