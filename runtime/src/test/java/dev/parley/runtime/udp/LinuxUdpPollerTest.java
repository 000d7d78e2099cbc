package dev.parley.runtime.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
class LinuxUdpPollerTest extends UdpPollerContract {
    LinuxUdpPollerTest() {
        super(new LinuxUdpPoller());
    }

    @Test
    void waitsMoreFinelyThanMilliseconds() {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 200; i++) {
            long before = System.nanoTime();
            poller.await(TimeUnit.MICROSECONDS.toNanos(50));
            shortest = Math.min(shortest, System.nanoTime() - before);
        }
        assertThat(shortest)
                .isBetween(TimeUnit.MICROSECONDS.toNanos(50), TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }

    @Test
    void receivesAfterAPauseWithoutBeingTold() {
        UdpPort left = bind("127.0.0.1");
        UdpPort right = bind("127.0.0.1");
        DatagramBatch batch = new DatagramBatch(1, 0, 100);
        fill(batch, 0, "x", right.localAddress());
        assertThat(left.send(batch, 0, 1)).isEqualTo(1);

        long start = System.nanoTime();
        poller.pause(3_000_000);

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(3_000_000);
        assertThat(right.receive(batch)).isEqualTo(1);
        assertThat(left.receive(batch)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 127.0.0.1, 127.0.0.2",
        "'::', 127.0.0.1, 127.0.0.2",
        "'::', ::1, ::1",
        "0.0.0.0, 127.0.0.1, 127.0.0.3"
    })
    void aWildcardTellsTheAddressUsedAndAnswersFromIt(String bound, String peer, String used) {
        UdpPort wildcard = bind(bound);
        UdpPort client = bind(peer);
        DatagramBatch batch = new DatagramBatch(4, 38, 1500);
        InetSocketAddress target =
                new InetSocketAddress(
                        InetAddress.ofLiteral(used), wildcard.localAddress().getPort());
        fill(batch, 0, "hello", target);
        assertThat(client.send(batch, 0, 1)).isEqualTo(1);
        poller.await(PATIENCE);
        assertThat(wildcard.receive(batch)).isEqualTo(1);
        InetAddress local = target.getAddress();
        assertThat(batch.localHigh(0)).isEqualTo(IpAddress.high(local));
        assertThat(batch.localLow(0)).isEqualTo(IpAddress.low(local));
        assertThat(wildcard.send(batch, 0, 1)).isEqualTo(1);
        poller.await(PATIENCE);
        assertThat(client.receive(batch)).isEqualTo(1);
        assertThat(peer(batch, 0)).isEqualTo(target);
    }

    @Test
    void countsWhatTheKernelDroppedBecauseTheReceiveBufferWasFull() {
        UdpPort sender = bind("127.0.0.1");
        UdpPort small =
                poller.bind(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                        new UdpOptions(false, 4_096, 4_096));
        DatagramBatch batch = new DatagramBatch(64, 0, 1500);
        for (int i = 0; i < 64; i++) {
            fill(batch, i, "x".repeat(1000), small.localAddress());
        }
        assertThat(sender.send(batch, 0, 64)).isEqualTo(64);
        poller.await(PATIENCE);
        int received = small.receive(batch);
        small.countKernelDrops();
        assertThat(received).isLessThan(64);
        assertThat(small.counters().count(UdpCounters.Reason.RECEIVE_QUEUE_FULL))
                .isEqualTo(64 - received);
    }

    @Test
    void anIpv4SocketCountsAnIpv6DestinationAndSendsTheRest() {
        UdpPort left = bind("127.0.0.1");
        UdpPort right = bind("127.0.0.1");
        DatagramBatch batch = new DatagramBatch(3, 0, 1500);
        fill(batch, 0, "one", right.localAddress());
        fill(batch, 1, "two", new InetSocketAddress(InetAddress.ofLiteral("::1"), 9));
        fill(batch, 2, "three", right.localAddress());
        assertThat(left.send(batch, 0, 3)).isEqualTo(3);
        assertThat(left.counters().count(UdpCounters.Reason.SEND_ERROR)).isEqualTo(1);
        poller.await(PATIENCE);
        assertThat(right.receive(batch)).isEqualTo(2);
        assertThat(text(batch, 1)).isEqualTo("three");
    }
}
