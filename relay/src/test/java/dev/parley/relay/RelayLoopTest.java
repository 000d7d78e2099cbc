package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.relay.store.StoreLane;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RelayLoopTest {
    /** A poller whose first wait fails. */
    private static final class BrokenPoller implements UdpPoller {
        private final AtomicInteger closes = new AtomicInteger();
        private final AtomicInteger wakeups = new AtomicInteger();

        @Override
        public UdpPort bind(InetSocketAddress local, UdpOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void await(long timeoutNanos) {
            throw new LinkageError("a part of the worker is missing");
        }

        @Override
        public void wakeEvery(long intervalNanos) {}

        @Override
        public void wakeup() {
            wakeups.incrementAndGet();
        }

        @Override
        public void close() {
            closes.incrementAndGet();
        }
    }

    // Its public address is shared, so the kernel would go on giving it clients.
    @Test
    void aWorkerThatFailsGivesUpItsSocketsAtOnce() throws InterruptedException {
        BrokenPoller poller = new BrokenPoller();
        RelayCounters counters = new RelayCounters();
        FakePort vip = new FakePort(RelayRig.VIP);
        FakePort upstream = new FakePort(RelayRig.TRANSCEIVER);
        RelayLoop loop =
                new RelayLoop(
                        poller,
                        List.of(vip),
                        upstream,
                        null,
                        Legs.none(),
                        RelayRig.worker(vip, upstream, StoreLane.closed(), counters),
                        counters,
                        false,
                        null);
        Thread[] thread = new Thread[1];
        loop.start(
                body -> {
                    thread[0] = Thread.ofVirtual().unstarted(body);
                    return thread[0];
                });
        thread[0].join();
        assertThat(poller.closes).hasValue(1);

        loop.close();
        assertThat(poller.closes).hasValue(1);
        assertThat(poller.wakeups).hasValue(0);
    }
}
