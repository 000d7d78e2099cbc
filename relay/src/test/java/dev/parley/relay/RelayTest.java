package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The relay as a service, over real sockets on loopback. */
class RelayTest {
    private static final int PATIENCE_MILLIS = 10_000;

    @ParameterizedTest
    @CsvSource({
        "portable, 127.0.0.1:0, 127.0.0.1:0, 127.0.0.1, 1",
        "portable, '[::1]:0', '[::1]:0', ::1, 1",
        "portable, 0.0.0.0:0, 0.0.0.0:0, 127.0.0.1, 1",
        "portable, '[::]:0', '[::]:0', 127.0.0.1, 2",
        "auto, 127.0.0.1:0, 127.0.0.1:0, 127.0.0.1, 1",
        "auto, '[::1]:0', '[::1]:0', ::1, 0",
        "auto, 0.0.0.0:0, 0.0.0.0:0, 127.0.0.1, 2",
        "auto, '[::]:0', '[::]:0', 127.0.0.1, 1",
        "auto, '[::]:0', '[::]:0', ::1, 3"
    })
    void carriesACallBothWays(
            String udp, String publicAddress, String upstream, String host, int workers)
            throws IOException {
        InetAddress loopback = InetAddress.ofLiteral(host);
        RelayConfig config =
                config(
                        Map.of(
                                "udp", udp,
                                "public_addresses", publicAddress,
                                "upstream_address", upstream,
                                "workers", Integer.toString(workers)));
        try (Relay relay = Relay.start(config, Telemetry.none());
                DatagramSocket transceiver = socket(loopback);
                DatagramSocket client = socket(loopback)) {
            InetSocketAddress relayAddress =
                    new InetSocketAddress(loopback, relay.publicAddresses().getFirst().getPort());
            String ufrag = Checks.ufrag(7, Endpoint.of(local(transceiver)));
            byte[] check = Checks.request(ufrag);
            send(client, check, relayAddress);
            DatagramPacket up = receive(transceiver);
            assertThat(bytes(up)).hasSize(38 + check.length).endsWith(check);
            assertThat(Arrays.copyOf(bytes(up), 2)).containsExactly(0x56, 0xEC);

            byte[] media = Checks.rtp(200);
            send(client, media, relayAddress);
            assertThat(bytes(receive(transceiver))).endsWith(media).hasSize(238);

            byte[] header = Arrays.copyOf(bytes(up), 38);
            byte[] answer = Arrays.copyOf(header, 38 + 100);
            Arrays.fill(answer, 38, answer.length, (byte) 0x99);
            send(transceiver, answer, (InetSocketAddress) up.getSocketAddress());
            DatagramPacket down = receive(client);
            assertThat(bytes(down)).isEqualTo(Arrays.copyOfRange(answer, 38, answer.length));
            assertThat(down.getSocketAddress()).isEqualTo(relayAddress);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void answersFromTheAddressThatTheClientUsed() throws IOException {
        InetAddress used = InetAddress.ofLiteral("127.0.0.2");
        RelayConfig config = config(Map.of("public_addresses", "0.0.0.0:0", "udp", "native"));
        try (Relay relay = Relay.start(config, Telemetry.none());
                DatagramSocket transceiver = socket(InetAddress.ofLiteral("127.0.0.1"));
                DatagramSocket client = socket(InetAddress.ofLiteral("127.0.0.1"))) {
            int port = relay.publicAddresses().getFirst().getPort();
            InetSocketAddress relayAddress = new InetSocketAddress(used, port);
            String ufrag = Checks.ufrag(7, Endpoint.of(local(transceiver)));
            send(client, Checks.request(ufrag), relayAddress);
            DatagramPacket up = receive(transceiver);
            byte[] expected =
                    RelayRig.headed(
                            Endpoint.of(local(client)), Endpoint.of(relayAddress), new byte[0]);
            assertThat(bytes(up)).startsWith(expected);
            send(transceiver, bytes(up), (InetSocketAddress) up.getSocketAddress());
            assertThat(receive(client).getSocketAddress()).isEqualTo(relayAddress);
        }
    }

    @Test
    void namesTheAddressThatClientsUseBehindALoadBalancer() throws IOException {
        RelayConfig config = config(Map.of("advertised_addresses", "203.0.113.10:443"));
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        try (Relay relay = Relay.start(config, Telemetry.none());
                DatagramSocket transceiver = socket(loopback);
                DatagramSocket client = socket(loopback)) {
            InetSocketAddress relayAddress = relay.publicAddresses().getFirst();
            String ufrag = Checks.ufrag(7, Endpoint.of(local(transceiver)));
            send(client, Checks.request(ufrag), relayAddress);
            DatagramPacket up = receive(transceiver);
            Endpoint used = Endpoint.of("203.0.113.10", 443);
            assertThat(bytes(up))
                    .startsWith(RelayRig.headed(Endpoint.of(local(client)), used, new byte[0]));
            send(transceiver, bytes(up), (InetSocketAddress) up.getSocketAddress());
            assertThat(receive(client).getSocketAddress()).isEqualTo(relayAddress);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void warmsUpPinsAndBusyWaits() throws IOException {
        RelayConfig config =
                config(Map.of("warm_up", "100ms", "worker_cores", "0", "busy_wait", "true"));
        try (Relay relay = Relay.start(config, Telemetry.none());
                DatagramSocket transceiver = socket(InetAddress.ofLiteral("127.0.0.1"));
                DatagramSocket client = socket(InetAddress.ofLiteral("127.0.0.1"))) {
            String ufrag = Checks.ufrag(7, Endpoint.of(local(transceiver)));
            send(client, Checks.request(ufrag), relay.publicAddresses().getFirst());
            assertThat(receive(transceiver).getLength()).isPositive();
        }
    }

    @Test
    void exportsItsCounters() throws IOException {
        Telemetry telemetry = Telemetry.none();
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        try (Relay relay = Relay.start(config(Map.of()), telemetry);
                DatagramSocket transceiver = socket(loopback);
                DatagramSocket client = socket(loopback)) {
            send(client, Checks.rtp(20), relay.publicAddresses().getFirst());
            String ufrag = Checks.ufrag(7, Endpoint.of(local(transceiver)));
            send(client, Checks.request(ufrag), relay.publicAddresses().getFirst());
            assertThat(receive(transceiver).getLength()).isPositive();
        }
        assertThat(telemetry.snapshot())
                .containsEntry("parley.relay.drops{reason=media_without_flow}", 1L)
                .containsEntry("parley.relay.forwards{route=up_new_flow}", 1L)
                .hasEntrySatisfying(
                        "parley.relay.batches{le=+Inf}", count -> assertThat(count).isPositive())
                .containsKeys(
                        "parley.relay.flows",
                        "parley.relay.flow_table.load",
                        "parley.relay.forward_time.samples{le=1}",
                        "parley.relay.udp.refusals{reason=receive_queue_full}");
    }

    @Test
    void closesTwiceAndFreesItsPort() {
        Relay relay = Relay.start(config(Map.of()), Telemetry.none());
        InetSocketAddress address = relay.publicAddresses().getFirst();
        relay.close();
        relay.close();
        String again = address.getHostString() + ":" + address.getPort();
        try (Relay second =
                Relay.start(config(Map.of("public_addresses", again)), Telemetry.none())) {
            assertThat(second.publicAddresses()).containsExactly(address);
        }
    }

    @Test
    void namesTheKeyWhenAPortIsTaken() throws IOException {
        try (DatagramSocket taken = socket(InetAddress.ofLiteral("127.0.0.1"))) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            RelayConfig config = config(Map.of("public_addresses", address));
            assertThatThrownBy(() -> Relay.start(config, Telemetry.none()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage(
                            "public_addresses: cannot bind UDP %s: Address already in use; free it"
                                    + " or give an address of this machine",
                            address);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    public_addresses  |                             | public_addresses: empty; give at least one host:port
                    public_addresses  | 1.1.1.1:1,1.1.1.1:1         | public_addresses: names an address twice; name each once
                    advertised_addresses | 1.1.1.1:1,1.1.1.1:2      | advertised_addresses: 2 for 1 public_addresses; give one for each, or none
                    transceiver_cidrs |                             | transceiver_cidrs: empty; give at least one range, such as 10.0.0.0/8
                    route_keys        |                             | route_keys: empty; give at least one key, such as 1: 32 hex digits
                    route_keys        | 16=30313233343536373839616263646566 | route_keys: "16" is no key id; give 0 to 15
                    route_keys        | 1=303132                    | route_keys: key 1 is not 32 hex digits; give 16 random bytes, quoted
                    udp               | fast                        | udp: "fast" is unknown; give one of auto, native, portable (auto, native (batched system calls, Linux only) or portable (DatagramChannel))
                    flow_store        | redis                       | redis_nodes: empty, but flow_store is redis; give at least one host:port
                    redis_nodes       | 127.0.0.1:6379              | redis_nodes: set, but flow_store is not redis; set that too, or leave this out
                    upstream_address  | 0.0.0.0:65535               | upstream_address: port 65535 leaves no room for 2 workers; give at most 65534
                    """)
    void refusesAConfigThatCannotWork(String key, String value, String message) {
        Map<String, String> changed = new HashMap<>(Map.of("workers", "2"));
        changed.put(key, value == null ? "" : value);
        assertThatThrownBy(() -> config(changed))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @Test
    void neverShowsItsKeys() {
        assertThat(ConfigLoader.describe(config(Map.of()))).doesNotContain(Checks.KEY_HEX);
    }

    private static RelayConfig config(Map<String, String> changed) {
        Map<String, String> texts = new HashMap<>();
        texts.put("public_addresses", "127.0.0.1:0");
        texts.put("upstream_address", "127.0.0.1:0");
        texts.put("transceiver_cidrs", "127.0.0.0/8,::1/128");
        texts.put("route_keys", Checks.KEY_ID + "=" + Checks.KEY_HEX);
        texts.put("health_address", "127.0.0.1:0");
        texts.put("max_flows", "1000");
        texts.put("warm_up", "0s");
        texts.putAll(changed);
        return ConfigLoader.of(RelayConfig.class, texts);
    }

    private static DatagramSocket socket(InetAddress address) throws IOException {
        DatagramSocket socket = new DatagramSocket(0, address);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static InetSocketAddress local(DatagramSocket socket) {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private static void send(DatagramSocket from, byte[] bytes, InetSocketAddress to)
            throws IOException {
        from.send(new DatagramPacket(bytes, bytes.length, to));
    }

    private static DatagramPacket receive(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
        socket.receive(packet);
        return packet;
    }

    private static byte[] bytes(DatagramPacket packet) {
        return Arrays.copyOfRange(
                packet.getData(), packet.getOffset(), packet.getOffset() + packet.getLength());
    }
}
