package dev.parley.runtime.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LocalSocketTest {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    private static final UdpOptions OPTIONS = new UdpOptions(true, 1 << 20, 1 << 20);

    private final String name = "parley-test " + UUID.randomUUID();
    private LocalSocket listener;
    private LocalSocket caller;
    private LocalSocket called;

    @BeforeEach
    void connect() throws IOException {
        listener = LocalSocket.listen(name);
        caller = Objects.requireNonNull(LocalSocket.connect(name));
        called = listener.accept();
    }

    @AfterEach
    void close() {
        caller.close();
        called.close();
        listener.close();
    }

    @Test
    void carriesBytes() throws IOException {
        byte[] sent = new byte[300_000];
        new Random(1).nextBytes(sent);
        Thread sender = Thread.ofPlatform().start(() -> send(sent));
        ByteBuffer received = ByteBuffer.allocate(sent.length);
        called.receive(received);
        assertThat(received.array()).isEqualTo(sent);
        assertThat(sender.isDaemon()).isFalse();
    }

    private void send(byte[] bytes) {
        try {
            caller.send(ByteBuffer.wrap(bytes));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void knowsItsPeer() throws IOException {
        assertThat(called.isPeerTrusted()).isTrue();
        assertThat(called.isPeerGone()).isFalse();
        caller.close();
        assertThat(called.isPeerGone()).isTrue();
        assertThatThrownBy(() -> called.receive(ByteBuffer.allocate(1)))
                .isInstanceOf(EOFException.class);
    }

    @Test
    void isAloneUnderItsName() {
        assertThatThrownBy(() -> LocalSocket.listen(name)).isInstanceOf(IOException.class);
        listener.close();
        assertThat(LocalSocket.connect(name)).isNull();
        assertThat(LocalSocket.connect("x".repeat(200))).isNull();
    }

    @Test
    void waitsNoLongerThanItMay() throws IOException {
        called.timeout(Duration.ofMillis(10));
        assertThatThrownBy(() -> called.receive(ByteBuffer.allocate(1)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void waitsOnAfterTheProcessWasStopped() throws IOException {
        called.timeout(Duration.ofSeconds(60));
        String self = Long.toString(ProcessHandle.current().pid());
        // Stopped while it waits below; should it come too late for that, nothing is tested.
        Process stopping =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "sleep 0.3; kill -STOP $0; sleep 0.1; kill -CONT $0",
                                self)
                        .start();
        var _ = stopping.onExit().thenRun(() -> send(new byte[] {7}));

        ByteBuffer received = ByteBuffer.allocate(1);
        called.receive(received);

        assertThat(received.get(0)).isEqualTo((byte) 7);
    }

    @Test
    void shuttingDownEndsTheWaiting() throws InterruptedException {
        Thread accepting =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        assertThatThrownBy(() -> listener.accept())
                                                .isInstanceOf(IOException.class));
        listener.shutdown();
        accepting.join();
    }

    @Test
    void handsOverASocketWithWhatWaitsInIt() throws IOException {
        UdpPoller first = new LinuxUdpPoller();
        try (UdpPoller second = new LinuxUdpPoller()) {
            UdpPort given = first.bind(ANY, OPTIONS);
            UdpPort sender = first.bind(ANY, OPTIONS);
            send(sender, given.localAddress());
            caller.sendDescriptors(new int[] {given.descriptor()});
            int[] descriptors = called.receiveDescriptors();
            assertThat(descriptors).hasSize(1);
            UdpPort taken = second.adopt(descriptors[0]);
            assertThat(taken.localAddress()).isEqualTo(given.localAddress());
            first.close();
            second.await(Duration.ofSeconds(5).toNanos());
            assertThat(taken.receive(new DatagramBatch(4, 0, 100))).isEqualTo(1);
        }
    }

    @Test
    void aSocketThatLeavesKeepsWhatWaitsAndGetsNoMore() {
        try (UdpPoller poller = new LinuxUdpPoller()) {
            UdpPort leaving = poller.bind(ANY, OPTIONS);
            UdpPort sender = poller.bind(ANY, OPTIONS);
            InetSocketAddress address = leaving.localAddress();
            send(sender, address);
            UdpPort staying = poller.bind(address, OPTIONS);
            leaving.leave();
            for (int i = 0; i < 20; i++) {
                send(poller.bind(ANY, OPTIONS), address);
            }
            poller.await(Duration.ofSeconds(5).toNanos());
            DatagramBatch batch = new DatagramBatch(32, 0, 100);
            assertThat(leaving.receive(batch)).isEqualTo(1);
            assertThat(staying.receive(batch)).isEqualTo(20);
            // It may still send, from where it was.
            batch.peer(
                    0,
                    IpAddress.high(sender.localAddress().getAddress()),
                    IpAddress.low(sender.localAddress().getAddress()),
                    sender.localAddress().getPort());
            assertThat(leaving.send(batch, 0, 1)).isEqualTo(1);
            poller.await(Duration.ofSeconds(5).toNanos());
            assertThat(sender.receive(batch)).isEqualTo(1);
            assertThat(batch.port(0)).isEqualTo(address.getPort());
        }
    }

    private static void send(UdpPort from, InetSocketAddress to) {
        DatagramBatch batch = new DatagramBatch(1, 0, 100);
        batch.datagram(0, 0, 10);
        batch.peer(
                0, IpAddress.high(to.getAddress()), IpAddress.low(to.getAddress()), to.getPort());
        batch.local(0, 0, 0);
        assertThat(from.send(batch, 0, 1)).isEqualTo(1);
    }
}
