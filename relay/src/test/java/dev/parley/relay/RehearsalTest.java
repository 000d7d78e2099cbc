package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a relay practises before it binds is what it does after. */
class RehearsalTest {
    private static final long LOOK_NANOS = 200_000_000L;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "portable"})
    void takesUpAFlowOfTheStoreAndOneOfATransceiverEachTime(String udp) {
        RelayConfig config =
                ConfigLoader.of(
                                RelayConfig.class,
                                Map.of(
                                        "udp", udp,
                                        "public_addresses", "127.0.0.1:0",
                                        "upstream_address", "127.0.0.1:0",
                                        "transceiver_cidrs", "10.0.0.0/8",
                                        "recoveries_per_second", "0",
                                        "route_keys", Checks.KEY_ID + "=" + Checks.KEY_HEX))
                        .forWarmUp();
        byte[] media = new byte[172];
        media[0] = (byte) 0x80;
        try (UdpPoller poller = config.openPoller()) {
            poller.wakeEvery(LOOK_NANOS);
            UdpPort transceiver = bind(poller);
            try (Rehearsal rehearsal =
                    new Rehearsal(
                            config,
                            new SeededHash(new Random(1)),
                            poller,
                            bind(poller),
                            bind(poller),
                            transceiver,
                            media)) {
                assertThat(rehearsal.run()).isEqualTo(2);
                assertThat(rehearsal.run()).isEqualTo(2);
            }
        }
    }

    private static UdpPort bind(UdpPoller poller) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        return poller.bind(any, new UdpOptions(false, 1 << 16, 1 << 16));
    }
}
