package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.otel.Telemetry;
import dev.parley.relay.store.FreePorts;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.LocalSocket;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** One relay follows another at the same addresses, over real sockets on loopback. */
@EnabledOnOs(OS.LINUX)
class HandoverTest {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int WORKERS = 2;

    private DatagramSocket transceiver;
    private DatagramSocket client;
    private RelayConfig config;
    private InetSocketAddress relayAddress;

    @BeforeEach
    void open() throws IOException {
        transceiver = socket();
        client = socket();
        int udp = FreePorts.next();
        config = config(udp, FreePorts.inARow(WORKERS));
        relayAddress = new InetSocketAddress(LOOPBACK, udp);
    }

    @AfterEach
    void close() {
        transceiver.close();
        client.close();
    }

    private static RelayConfig config(int udp, int upstream) {
        return ConfigLoader.of(
                RelayConfig.class,
                Map.of(
                        "public_addresses",
                        "127.0.0.1:" + udp,
                        "upstream_address",
                        "127.0.0.1:" + upstream,
                        "health_address",
                        "127.0.0.1:" + FreePorts.next(),
                        "workers",
                        Integer.toString(WORKERS),
                        "transceiver_cidrs",
                        "127.0.0.0/8",
                        "route_keys",
                        Checks.KEY_ID + "=" + Checks.KEY_HEX,
                        "recoveries_per_second",
                        "0",
                        "max_flows",
                        "1000",
                        "warm_up",
                        "0s"));
    }

    private static DatagramSocket socket() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, LOOPBACK);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private void sendUp(byte[] bytes) throws IOException {
        client.send(new DatagramPacket(bytes, bytes.length, relayAddress));
    }

    private DatagramPacket receive(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
        socket.receive(packet);
        return packet;
    }

    /** Sends media up and back down again; fails when either is lost. */
    private void assertCarries(int length) throws IOException {
        sendUp(Checks.rtp(length));
        DatagramPacket up = receive(transceiver);
        assertThat(up.getLength()).isEqualTo(38 + length);
        transceiver.send(up);
        DatagramPacket down = receive(client);
        assertThat(down.getLength()).isEqualTo(length);
        assertThat(down.getSocketAddress()).isEqualTo(relayAddress);
    }

    private void establish() throws IOException {
        Endpoint own = Endpoint.of((InetSocketAddress) transceiver.getLocalSocketAddress());
        byte[] check = Checks.request(Checks.ufrag(7, own));
        sendUp(check);
        assertThat(Arrays.copyOf(receive(transceiver).getData(), 2)).containsExactly(0x56, 0xEC);
    }

    private static HttpResponse<String> get(InetSocketAddress address, String path)
            throws IOException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + address.getPort() + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(BooleanSupplier until) {
        long deadline = System.nanoTime() + Duration.ofMillis(PATIENCE_MILLIS).toNanos();
        while (!until.getAsBoolean()) {
            assertThat(deadline - System.nanoTime()).as("patience").isPositive();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void aSuccessorTakesOverSocketsAndFlows() throws IOException {
        Relay old = Relay.start(config, Telemetry.none());
        try {
            establish();
            assertCarries(100);
            try (Relay successor = Relay.start(config, Telemetry.none())) {
                assertThat(successor.publicAddresses()).containsExactly(relayAddress);
                assertCarries(101);
                await(() -> old.findHealthAddress() == null);
                await(() -> successor.findHealthAddress() != null);
                old.close();
                assertCarries(102);
            }
        } finally {
            old.close();
        }
    }

    @Test
    void aRelayServesAgainWhenItsSuccessorGoesFirst() throws IOException {
        try (Relay old = Relay.start(config, Telemetry.none())) {
            establish();
            Relay successor = Relay.start(config, Telemetry.none());
            assertCarries(100);
            successor.close();
            assertCarries(101);
            await(() -> old.findHealthAddress() != null);
            try (Relay next = Relay.start(config, Telemetry.none())) {
                assertThat(next.publicAddresses()).containsExactly(relayAddress);
                assertCarries(102);
            }
        }
    }

    @Test
    void aRelayThatGoesDoesNotTakeSocketsOffTheirAddressThatASuccessorMayHave() throws IOException {
        Relay old = Relay.start(config, Telemetry.none());
        try (UdpPoller poller = config.openPoller()) {
            List<UdpPort> ports = adoptWithoutConfirming(poller);
            old.close();

            sendUp(Checks.rtp(60));

            poller.await(Duration.ofMillis(PATIENCE_MILLIS).toNanos());
            DatagramBatch batch = new DatagramBatch(4, 0, 100);
            assertThat(ports.stream().mapToInt(port -> port.receive(batch)).sum()).isOne();
        } finally {
            old.close();
        }
    }

    /** What a successor has whose answer was not understood, when the old one serves again. */
    private List<UdpPort> adoptWithoutConfirming(UdpPoller poller) throws IOException {
        List<UdpPort> ports = new ArrayList<>();
        try (LocalSocket successor = Objects.requireNonNull(LocalSocket.connect(name()))) {
            HandoverMessages.sendInt(successor, HandoverMessages.MAGIC);
            HandoverMessages.sendInt(successor, HandoverMessages.VERSION);
            HandoverMessages.sendText(
                    successor, config.publicAddresses() + " and " + config.upstreamAddress());
            assertThat(HandoverMessages.receiveInt(successor)).isEqualTo(WORKERS);
            for (int i = 0; i < WORKERS; i++) {
                for (int descriptor : successor.receiveDescriptors()) {
                    ports.add(poller.adopt(descriptor));
                }
                assertThat(HandoverMessages.receiveFlows(successor).remaining()).isZero();
            }
            HandoverMessages.sendInt(successor, HandoverMessages.CONFIRMED + 1);
            Assertions.assertThatThrownBy(() -> HandoverMessages.receiveInt(successor))
                    .isInstanceOf(EOFException.class);
        }
        return ports;
    }

    private String name() {
        return "parley-relay " + config.publicAddresses().getFirst();
    }

    @Test
    void aSuccessorThatFindsNoAgreementLeavesTheSocketsToItsPredecessor() throws Exception {
        UdpOptions shared = new UdpOptions(true, 1 << 16, 1 << 16);
        try (UdpPoller poller = config.openPoller();
                LocalSocket listener = LocalSocket.listen(name())) {
            UdpPort publicPort = poller.bind(relayAddress, shared);
            UdpPort upstream = poller.bind(new InetSocketAddress(LOOPBACK, 0), shared);
            Thread impatient =
                    Thread.ofPlatform()
                            .start(() -> giveAndTakeBack(listener, publicPort, upstream));

            Assertions.assertThatThrownBy(() -> Relay.start(config, Telemetry.none()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("has taken its sockets back");

            impatient.join();
            sendUp(Checks.rtp(60));
            poller.await(Duration.ofMillis(PATIENCE_MILLIS).toNanos());
            assertThat(publicPort.receive(new DatagramBatch(4, 0, 100))).isOne();
        }
    }

    private static void giveAndTakeBack(
            LocalSocket listener, UdpPort publicPort, UdpPort upstream) {
        try (LocalSocket successor = listener.accept()) {
            assertThat(HandoverMessages.receiveInt(successor)).isEqualTo(HandoverMessages.MAGIC);
            assertThat(HandoverMessages.receiveInt(successor)).isEqualTo(HandoverMessages.VERSION);
            assertThat(HandoverMessages.receiveText(successor)).isNotEmpty();
            HandoverMessages.sendInt(successor, 1);
            successor.sendDescriptors(new int[] {publicPort.descriptor(), upstream.descriptor()});
            HandoverMessages.sendFlows(successor, ByteBuffer.allocate(0));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void generationsFollowOneAnother() throws IOException {
        Relay current = Relay.start(config, Telemetry.none());
        establish();
        for (int i = 0; i < 5; i++) {
            Relay next = Relay.start(config, Telemetry.none());
            assertCarries(100 + i);
            current.close();
            assertCarries(200 + i);
            current = next;
        }
        current.close();
    }

    @Test
    void theLastOfSeveralServesWhicheverOfTheOthersGoesFirst() throws IOException {
        Relay first = Relay.start(config, Telemetry.none());
        establish();
        Relay second = Relay.start(config, Telemetry.none());
        assertCarries(100);
        try (Relay third = Relay.start(config, Telemetry.none())) {
            await(() -> second.findHealthAddress() == null);
            assertCarries(101);
            second.close();
            first.close();
            for (int i = 0; i < 10; i++) {
                assertCarries(200 + i);
            }
            await(() -> third.findHealthAddress() != null);
        }
    }

    @Test
    void nothingIsLostWhileTheSocketsChangeHands() throws Exception {
        int count = 3_000;
        Relay old = Relay.start(config, Telemetry.none());
        try {
            establish();
            CompletableFuture<Integer> arrived = CompletableFuture.supplyAsync(() -> count(count));
            Thread sender = Thread.ofPlatform().start(() -> sendMany(count));
            Relay successor = Relay.start(config, Telemetry.none());
            old.close();
            sender.join();
            assertThat(arrived.join()).isEqualTo(count);
            successor.close();
        } finally {
            old.close();
        }
    }

    private int count(int most) {
        int arrived = 0;
        try {
            while (arrived < most) {
                assertThat(receive(transceiver).getLength()).isEqualTo(38 + 60);
                arrived++;
            }
        } catch (IOException _) {
            // Nothing comes any more.
        }
        return arrived;
    }

    // At a pace that no socket's buffer is too small for.
    private void sendMany(int count) {
        try {
            for (int i = 0; i < count; i++) {
                sendUp(Checks.rtp(60));
                if (i % 5 == 0) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anotherRelayWithOneAddressInCommonIsRefused() throws IOException {
        try (Relay old = Relay.start(config, Telemetry.none())) {
            assertThat(old.publicAddresses()).hasSize(1);
            RelayConfig other = config(FreePorts.next(), config.upstreamAddress().port());
            Assertions.assertThatThrownBy(() -> Relay.start(other, Telemetry.none()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("upstream_address: cannot bind UDP");
        }
    }

    @Test
    void saysHowItIs() throws IOException {
        Relay relay = Relay.start(config, Telemetry.none());
        InetSocketAddress health = config.healthAddress().resolve("health_address");
        assertThat(get(health, "/livez").body()).isEqualTo("{\"status\":\"live\",\"reasons\":[]}");
        HttpResponse<String> ready = get(health, "/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).isEqualTo("{\"status\":\"ready\",\"reasons\":[],\"degraded\":[]}");
        assertThat(get(health, "/other").statusCode()).isEqualTo(404);
        relay.close();
    }

    @Test
    void isReadyThoughRedisIsAwayAndSaysSo() throws IOException {
        RelayConfig away =
                ConfigLoader.of(
                        RelayConfig.class,
                        Map.of(
                                "public_addresses", "127.0.0.1:0",
                                "upstream_address", "127.0.0.1:0",
                                "health_address", "127.0.0.1:0",
                                "workers", "1",
                                "transceiver_cidrs", "127.0.0.0/8",
                                "route_keys", Checks.KEY_ID + "=" + Checks.KEY_HEX,
                                "warm_up", "10ms",
                                "flow_store", "redis",
                                "redis_nodes", "127.0.0.1:" + FreePorts.next()));
        try (Relay relay = Relay.start(away, Telemetry.none())) {
            InetSocketAddress health = Objects.requireNonNull(relay.findHealthAddress());
            HttpResponse<String> ready = get(health, "/readyz");
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(ready.body()).contains("\"degraded\":[\"redis 127.0.0.1:");
            assertThat(get(health, "/livez").statusCode()).isEqualTo(200);
        }
    }
}
