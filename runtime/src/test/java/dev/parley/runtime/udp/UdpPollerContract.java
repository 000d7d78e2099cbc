package dev.parley.runtime.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every implementation of the sockets does, on loopback. */
abstract class UdpPollerContract {
    static final UdpOptions OPTIONS = new UdpOptions(false, 1 << 18, 1 << 18);
    static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    final UdpPoller poller;

    UdpPollerContract(UdpPoller poller) {
        this.poller = poller;
    }

    @AfterEach
    void close() {
        poller.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void carriesBatchesBothWays(String host) {
        UdpPort left = bind(host);
        UdpPort right = bind(host);
        DatagramBatch batch = new DatagramBatch(8, 38, 1500);
        fill(batch, 0, "one", right.localAddress());
        fill(batch, 1, "", right.localAddress());
        fill(batch, 2, "three", right.localAddress());
        assertThat(left.send(batch, 0, 3)).isEqualTo(3);

        DatagramBatch arrived = new DatagramBatch(2, 38, 1500);
        poller.await(PATIENCE);
        assertThat(right.receive(arrived)).isEqualTo(2);
        assertThat(text(arrived, 0)).isEqualTo("one");
        assertThat(arrived.start(0)).isEqualTo(38);
        assertThat(text(arrived, 1)).isEmpty();
        assertThat(peer(arrived, 1)).isEqualTo(left.localAddress());
        poller.await(PATIENCE);
        assertThat(right.receive(arrived)).isEqualTo(1);
        assertThat(text(arrived, 0)).isEqualTo("three");
        poller.await(0);
        assertThat(right.receive(arrived)).isZero();

        arrived.peer(
                0, arrived.addressHigh(0), arrived.addressLow(0), left.localAddress().getPort());
        assertThat(right.send(arrived, 0, 1)).isEqualTo(1);
        poller.await(PATIENCE);
        assertThat(left.receive(batch)).isEqualTo(1);
        assertThat(text(batch, 0)).isEqualTo("three");
    }

    @Test
    void aWakeupEndsAPause() {
        poller.wakeup();
        poller.pause(Long.MAX_VALUE);
        Thread.ofVirtual().start(poller::wakeup);
        poller.pause(Long.MAX_VALUE);
    }

    @Test
    void usesThePlaceOfAClosedSocketAgain() {
        for (int i = 0; i < 100; i++) {
            bind("127.0.0.1").close();
        }
        UdpPort left = bind("127.0.0.1");
        UdpPort right = bind("127.0.0.1");
        DatagramBatch batch = new DatagramBatch(1, 0, 100);
        fill(batch, 0, "x", right.localAddress());
        assertThat(left.send(batch, 0, 1)).isEqualTo(1);

        poller.await(PATIENCE);
        assertThat(right.receive(batch)).isEqualTo(1);
        assertThat(left.receive(batch)).isZero();
    }

    @Test
    void leavesOutAndCountsTruncatedDatagrams() {
        UdpPort left = bind("127.0.0.1");
        UdpPort right = bind("127.0.0.1");
        DatagramBatch batch = new DatagramBatch(3, 0, 100);
        fill(batch, 0, "x".repeat(101), right.localAddress());
        fill(batch, 1, "y".repeat(100), right.localAddress());
        assertThat(left.send(batch, 0, 2)).isEqualTo(2);

        poller.await(PATIENCE);
        DatagramBatch arrived = new DatagramBatch(3, 0, 100);
        assertThat(right.receive(arrived)).isEqualTo(1);
        assertThat(text(arrived, 0)).isEqualTo("y".repeat(100));
        assertThat(right.counters().count(UdpCounters.Reason.RECEIVE_TRUNCATED)).isEqualTo(1);
    }

    @Test
    void countsWhatTheSystemRefusesToSend() {
        UdpPort left = bind("127.0.0.1");
        DatagramBatch batch = new DatagramBatch(2, 0, 70_000);
        batch.datagram(0, 0, 66_000);
        batch.peer(0, 0, DatagramBatch.IPV4_MAPPED_LOW | 0x7F00_0001L, 9);
        batch.datagram(1, 0, 10);
        batch.peer(1, 0, DatagramBatch.IPV4_MAPPED_LOW | 0x7F00_0001L, 0);
        assertThat(left.send(batch, 0, 2)).isEqualTo(2);
        assertThat(left.counters().count(UdpCounters.Reason.SEND_TOO_LONG)).isEqualTo(1);
        assertThat(left.counters().count(UdpCounters.Reason.SEND_ERROR)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"::1", "2001:db8::1"})
    void anIpv6PeerOfAnIpv4SocketIsCountedAndTheOthersAreSent(String host) {
        UdpPort left = bind("127.0.0.1");
        UdpPort right = bind("127.0.0.1");
        DatagramBatch batch = new DatagramBatch(2, 0, 100);
        fill(batch, 0, "lost", new InetSocketAddress(InetAddress.ofLiteral(host), 9));
        fill(batch, 1, "sent", right.localAddress());
        assertThat(left.send(batch, 0, 2)).isEqualTo(2);
        assertThat(left.counters().count(UdpCounters.Reason.SEND_ERROR)).isEqualTo(1);
        poller.await(PATIENCE);
        assertThat(right.receive(batch)).isEqualTo(1);
        assertThat(text(batch, 0)).isEqualTo("sent");
    }

    @Test
    void aWakeupBeforeTheWaitEndsIt() {
        bind("127.0.0.1");
        poller.wakeup();
        poller.await(TimeUnit.DAYS.toNanos(1));
    }

    @Test
    void aTimeoutEndsTheWait() {
        bind("127.0.0.1");
        long before = System.nanoTime();
        poller.await(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(19));
    }

    @Test
    void aTimerEndsWaitsWithoutLimit() {
        bind("127.0.0.1");
        poller.wakeEvery(TimeUnit.MILLISECONDS.toNanos(5));
        for (int i = 0; i < 5; i++) {
            poller.await(Long.MAX_VALUE);
        }
        poller.wakeEvery(0);
        long before = System.nanoTime();
        // One more may have come in between.
        poller.await(TimeUnit.MILLISECONDS.toNanos(30));
        poller.await(TimeUnit.MILLISECONDS.toNanos(30));
        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(29));
    }

    @Test
    void aWakeupFromAnotherThreadEndsTheWait() throws InterruptedException {
        bind("127.0.0.1");
        for (int i = 0; i < 100; i++) {
            Thread waker = Thread.ofPlatform().start(poller::wakeup);
            poller.await(PATIENCE);
            waker.join();
            // A wakeup that came after the wait ended is taken here.
            poller.await(0);
        }
    }

    @Test
    void aWildcardIpv6SocketTalksToBothFamilies() {
        UdpPort wildcard = bind("::");
        int port = wildcard.localAddress().getPort();
        for (String host : new String[] {"127.0.0.1", "::1"}) {
            UdpPort client = bind(host);
            DatagramBatch batch = new DatagramBatch(4, 38, 1500);
            fill(batch, 0, host, new InetSocketAddress(InetAddress.ofLiteral(host), port));
            assertThat(client.send(batch, 0, 1)).isEqualTo(1);
            poller.await(PATIENCE);
            assertThat(wildcard.receive(batch)).isEqualTo(1);
            assertThat(peer(batch, 0)).isEqualTo(client.localAddress());
            batch.local(0, 0, 0);
            assertThat(wildcard.send(batch, 0, 1)).isEqualTo(1);
            poller.await(PATIENCE);
            assertThat(client.receive(batch)).isEqualTo(1);
            assertThat(text(batch, 0)).isEqualTo(host);
        }
    }

    @Test
    void tellsTheBuffersThatWereGranted() {
        UdpPort port = bind("127.0.0.1");
        assertThat(port.receiveBufferBytes()).isEqualTo(OPTIONS.receiveBufferBytes());
        assertThat(port.sendBufferBytes()).isEqualTo(OPTIONS.sendBufferBytes());
    }

    @Test
    void closesTwice() {
        UdpPort port = bind("127.0.0.1");
        port.close();
        port.close();
        poller.close();
        poller.close();
        poller.wakeup();
    }

    @Test
    void saysWhyNot() {
        InetSocketAddress elsewhere = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1);
        assertThatThrownBy(() -> poller.bind(elsewhere, OPTIONS))
                .isInstanceOf(UdpBindException.class)
                .hasMessage("cannot bind UDP 192.0.2.1:1: Cannot assign requested address");
    }

    @Test
    void saysWhyAnAddressCannotBeBound() {
        UdpPort taken = bind("127.0.0.1");
        assertThatThrownBy(() -> poller.bind(taken.localAddress(), OPTIONS))
                .isInstanceOf(UdpBindException.class)
                .hasMessage(
                        "cannot bind UDP "
                                + IpAddress.text(taken.localAddress())
                                + ": Address already in use");
    }

    @Test
    void sharesAnAddressWhenAsked() {
        UdpOptions shared = new UdpOptions(true, 1 << 18, 1 << 18);
        UdpPort first =
                poller.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), shared);
        UdpPort second = poller.bind(first.localAddress(), shared);
        assertThat(second.localAddress()).isEqualTo(first.localAddress());
    }

    UdpPort bind(String host) {
        return poller.bind(new InetSocketAddress(InetAddress.ofLiteral(host), 0), OPTIONS);
    }

    static void fill(DatagramBatch batch, int i, String text, InetSocketAddress peer) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        batch.bytes().put(batch.slotOffset(i), bytes);
        batch.datagram(i, batch.slotOffset(i), bytes.length);
        InetAddress address = peer.getAddress();
        batch.peer(i, IpAddress.high(address), IpAddress.low(address), peer.getPort());
    }

    static String text(DatagramBatch batch, int i) {
        byte[] bytes = new byte[batch.length(i)];
        batch.bytes().get(batch.start(i), bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    static InetSocketAddress peer(DatagramBatch batch, int i) {
        return IpAddress.toSocketAddress(batch.addressHigh(i), batch.addressLow(i), batch.port(i));
    }
}
