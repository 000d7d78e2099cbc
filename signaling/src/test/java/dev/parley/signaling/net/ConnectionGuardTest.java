package dev.parley.signaling.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.config.Cidr;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionGuardTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final List<SocketChannel> channels = new ArrayList<>();
    private long now = Long.MAX_VALUE - SECOND;
    private long spareDescriptors = 100;
    private final ConnectionGuard guard =
            new ConnectionGuard(
                    new ConnectionLimits(
                            Duration.ofSeconds(5),
                            Duration.ofSeconds(20),
                            Duration.ofSeconds(3),
                            Duration.ofSeconds(60),
                            2,
                            10,
                            List.of(Cidr.parse("10.0.0.0/8"))),
                    () -> spareDescriptors,
                    () -> now);

    @AfterEach
    void closeChannels() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    @Test
    void closesAConnectionThatNeverSaysWhatItWants() throws IOException {
        SocketChannel channel = admitted("192.0.2.1", 1);

        pass(5 * SECOND - 1);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(closed()).containsEntry("late_head", 1L);
        // Its thread, or the next look when it has none yet, tells that it is gone.
        pass(0);
        assertThat(guard.open()).isZero();
    }

    @Test
    void givesEachStageItsTime() throws IOException {
        SocketChannel channel = admitted("192.0.2.1", 1);
        WatchedConnection connection = find("192.0.2.1", 1);

        guard.headers(connection);
        pass(20 * SECOND - 1);
        guard.answering(connection);
        guard.waiting(connection, false);
        pass(60 * SECOND - 1);
        guard.received(connection);
        pass(5 * SECOND - 1);
        guard.headers(connection);
        assertThat(channel.isOpen()).isTrue();
        pass(20 * SECOND);
        assertThat(channel.isOpen()).isFalse();
        assertThat(closed()).containsEntry("late_request", 1L);
    }

    @Test
    void waitsOnlySoLongForAClientToReadItsAnswer() throws IOException {
        SocketChannel channel = admitted("192.0.2.1", 1);
        WatchedConnection connection = find("192.0.2.1", 1);

        guard.headers(connection);
        guard.answering(connection);
        pass(3 * SECOND - 1);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(closed()).containsEntry("late_request", 1L);
    }

    @Test
    void givesAByteOfALaterRequestNoMoreThanTheTimeForHeaders() throws IOException {
        SocketChannel channel = admitted("192.0.2.1", 1);
        WatchedConnection connection = find("192.0.2.1", 1);
        makeIdle(connection);

        guard.received(connection);
        pass(4 * SECOND);
        guard.received(connection);
        pass(1 * SECOND);

        assertThat(channel.isOpen()).isFalse();
        assertThat(closed()).containsEntry("late_head", 1L);
    }

    @Test
    void closesWhatStaysIdle() throws IOException {
        SocketChannel channel = admitted("192.0.2.1", 1);
        makeIdle(find("192.0.2.1", 1));

        pass(60 * SECOND);

        assertThat(channel.isOpen()).isFalse();
        assertThat(closed()).containsEntry("idle", 1L);
    }

    @Test
    void closesAnotherProtocolOnlyWhenNothingComes() throws IOException {
        SocketChannel channel = admitted("192.0.2.1", 1);
        WatchedConnection connection = find("192.0.2.1", 1);

        guard.upgraded(connection);
        for (int i = 0; i < 100; i++) {
            pass(60 * SECOND - 1);
            guard.received(connection);
        }
        assertThat(channel.isOpen()).isTrue();
        pass(60 * SECOND);
        assertThat(channel.isOpen()).isFalse();
        assertThat(closed()).containsEntry("idle", 1L);
    }

    @Test
    void refusesAConnectionForWhichTheProcessHasNoDescriptor() throws IOException {
        // An eighth of what was free at the start is left to others.
        spareDescriptors = 13;
        assertThat(admit("192.0.2.1", 1)).isTrue();
        spareDescriptors = 12;
        assertThat(admit("192.0.2.2", 1)).isFalse();
        assertThat(closed()).containsEntry("no_descriptors", 1L);
        assertThat(guard.open()).isOne();

        spareDescriptors = 100;
        assertThat(admit("192.0.2.2", 1)).isTrue();
    }

    @Test
    void closesIdleConnectionsWhenOthersFoundNoDescriptor() throws IOException {
        spareDescriptors = 13;
        SocketChannel idle = admitted("192.0.2.1", 1);
        makeIdle(find("192.0.2.1", 1));
        SocketChannel asking = admitted("192.0.2.2", 1);
        pass(0);
        assertThat(idle.isOpen()).isTrue();

        spareDescriptors = 12;
        assertThat(admit("192.0.2.3", 1)).isFalse();
        pass(0);

        assertThat(idle.isOpen()).isFalse();
        assertThat(asking.isOpen()).isTrue();
    }

    @Test
    void givesEachAddressItsShare() throws IOException {
        admitted("192.0.2.1", 1);
        admitted("192.0.2.1", 2);

        assertThat(admit("192.0.2.1", 3)).isFalse();
        assertThat(admit("192.0.2.2", 1)).isTrue();
        assertThat(closed()).containsEntry("too_many_of_address", 1L);

        InetSocketAddress first = new InetSocketAddress("192.0.2.1", 1);
        guard.gone(first, find("192.0.2.1", 1));
        assertThat(admit("192.0.2.1", 3)).isTrue();
        assertThat(admit("192.0.2.1", 4)).isFalse();
    }

    @Test
    void countsAnIpv6NetworkAsOneAddressAndProxiesNotAtAll() throws IOException {
        assertThat(admit("2001:db8::1", 1)).isTrue();
        assertThat(admit("2001:db8::2", 1)).isTrue();
        assertThat(admit("2001:db8::3", 1)).isFalse();
        for (int port = 1; port < 6; port++) {
            assertThat(admit("10.1.2.3", port)).isTrue();
        }
    }

    @Test
    void closesIdleOnesWhenAlmostAllAreTaken() throws IOException {
        for (int port = 1; port <= 10; port++) {
            admitted("10.1.2.3", port);
        }
        WatchedConnection idle = find("10.1.2.3", 1);
        makeIdle(idle);

        pass(1);

        assertThat(idle.isOpen()).isFalse();
        assertThat(find("10.1.2.3", 2).isOpen()).isTrue();
    }

    private void makeIdle(WatchedConnection connection) {
        guard.headers(connection);
        guard.answering(connection);
        guard.waiting(connection, false);
    }

    private void pass(long nanos) {
        now += nanos;
        guard.closeLate(now);
    }

    private Map<String, Long> closed() {
        return guard.closed().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> value(entry.getValue())));
    }

    private static Long value(LongSupplier supplier) {
        return supplier.getAsLong();
    }

    private WatchedConnection find(String host, int port) {
        return Objects.requireNonNull(guard.find(new InetSocketAddress(host, port)));
    }

    private SocketChannel admitted(String host, int port) throws IOException {
        assertThat(admit(host, port)).isTrue();
        return channels.getLast();
    }

    private boolean admit(String host, int port) throws IOException {
        channels.add(SocketChannel.open());
        return guard.admit(channels.getLast(), new InetSocketAddress(host, port));
    }
}
