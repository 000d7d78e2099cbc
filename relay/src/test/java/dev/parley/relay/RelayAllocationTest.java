package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.parley.relay.store.FakeStore;
import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpPort;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Forwarding and dropping allocate nothing per packet, whatever the sockets cost. */
class RelayAllocationTest {
    private static final int WARM_UP_TURNS = 20_000;
    private static final int TURNS = 50_000;

    private long now;

    /** Gives the same datagrams again and again, and takes everything. */
    private static class ReplayPort implements UdpPort {
        private final Endpoint local;
        private final Endpoint[] peers;
        private final byte[][] datagrams;
        private final UdpCounters counters = new UdpCounters();

        ReplayPort(Endpoint local, Endpoint[] peers, byte[][] datagrams) {
            this.local = local;
            this.peers = peers;
            this.datagrams = datagrams;
        }

        @Override
        public InetSocketAddress localAddress() {
            return local.toSocketAddress();
        }

        @Override
        public int receive(DatagramBatch batch) {
            for (int i = 0; i < datagrams.length; i++) {
                int start = batch.slotOffset(i) + batch.headroomBytes();
                batch.bytes().put(start, datagrams[i]);
                batch.datagram(i, start, datagrams[i].length);
                batch.peer(i, peers[i].high(), peers[i].low(), peers[i].port());
                batch.local(i, 0, 0);
            }
            return datagrams.length;
        }

        @Override
        public int send(DatagramBatch batch, int from, int to) {
            return to - from;
        }

        @Override
        public int receiveBufferBytes() {
            return 0;
        }

        @Override
        public int sendBufferBytes() {
            return 0;
        }

        @Override
        public void countKernelDrops() {}

        @Override
        public UdpCounters counters() {
            return counters;
        }

        @Override
        public void close() {}
    }

    /**
     * Gives what another cluster's relay sends now: a datagram down, a probe, the datagram once
     * more, and one that is not sealed.
     */
    private final class SealingPort extends ReplayPort {
        private final LegPacket packet = TwoClusters.packet(TwoClusters.HOME, 9);
        private final byte[] down;
        private final byte[] media;
        private int sequence;

        SealingPort(Endpoint client, byte[] media) {
            super(TwoClusters.INGRESS_LEG, new Endpoint[0], new byte[0][]);
            this.media = media;
            this.down = RelayRig.headed(client, TwoClusters.INGRESS_VIP, media);
            packet.ownGate(LegPlan.name(TwoClusters.HOME_LEG.toSocketAddress()));
            packet.towards(
                    TwoClusters.INGRESS, LegPlan.name(TwoClusters.INGRESS_LEG.toSocketAddress()));
        }

        @Override
        public int receive(DatagramBatch batch) {
            int seconds = (int) Math.floorDiv(now, 1_000_000_000L);
            down(batch, 0, LegPacket.stamp(seconds, sequence));
            packet.sealProbe(
                    batch.bytes(),
                    batch.slotOffset(1),
                    LegKind.PROBE,
                    7,
                    LegPacket.stamp(seconds, sequence + 1));
            slot(batch, 1, batch.slotOffset(1), LegPacket.PROBE_LENGTH);
            down(batch, 2, LegPacket.stamp(seconds, sequence));
            int start = batch.slotOffset(3) + batch.headroomBytes();
            batch.bytes().put(start, media);
            slot(batch, 3, start, media.length);
            sequence += 2;
            return 4;
        }

        private void down(DatagramBatch batch, int i, long stamp) {
            int start = batch.slotOffset(i) + batch.headroomBytes();
            batch.bytes().put(start, down);
            Endpoint from = RelayRig.TRANSCEIVER;
            int added =
                    packet.seal(
                            batch.bytes(),
                            start,
                            down.length,
                            LegKind.DOWN,
                            from.high(),
                            from.low(),
                            from.port(),
                            stamp);
            slot(batch, i, start - added, down.length + added);
        }

        private void slot(DatagramBatch batch, int i, int start, int length) {
            Endpoint home = TwoClusters.HOME_LEG;
            batch.datagram(i, start, length);
            batch.peer(i, home.high(), home.low(), home.port());
            batch.local(i, 0, 0);
        }
    }

    @Test
    void forwardsAndDropsWithoutAllocating() {
        Endpoint one = Endpoint.of("198.51.100.7", 40_000);
        Endpoint two = Endpoint.of("2001:db8::7", 40_000);
        Endpoint stranger = Endpoint.of("192.0.2.66", 1);
        byte[] check = Checks.request(Checks.ufrag(1, RelayRig.TRANSCEIVER));
        byte[] other = Checks.request(Checks.ufrag(2, RelayRig.TRANSCEIVER));
        byte[] media = Checks.rtp(172);
        ReplayPort vip =
                new ReplayPort(
                        RelayRig.VIP,
                        new Endpoint[] {one, two, one, two, one, stranger, stranger},
                        new byte[][] {
                            check,
                            other,
                            media,
                            media,
                            Checks.indication(),
                            media,
                            Checks.request("short")
                        });
        ReplayPort upstream =
                new ReplayPort(
                        Endpoint.of("10.0.0.1", 3479),
                        new Endpoint[] {RelayRig.TRANSCEIVER, stranger, RelayRig.TRANSCEIVER},
                        new byte[][] {
                            RelayRig.headed(two, RelayRig.VIP, media), media, new byte[5]
                        });
        RelayCounters counters = new RelayCounters();
        // Asked again and again, and silent: what strangers send is held and forgotten.
        FakeStore store = new FakeStore();
        store.available(true);
        RelayWorker worker = RelayRig.worker(vip, upstream, store.lane(), counters);

        long allocated = bytesAllocated(worker);
        assertThat(counters.count(Verdict.UP_BY_FLOW)).isGreaterThan(5L * TURNS);
        assertThat(counters.count(Verdict.DOWN_BY_FLOW)).isGreaterThan(TURNS);
        assertThat(counters.count(Verdict.TOKEN_BAD_LENGTH)).isGreaterThan(TURNS);
        assertThat(allocated).as("bytes in %d turns of 10 datagrams", TURNS).isLessThan(1_000);
    }

    @Test
    void crossesClustersWithoutAllocating() {
        Endpoint client = Endpoint.of("198.51.100.7", 40_000);
        byte[] media = Checks.rtp(172);
        byte[] away = Checks.request(Checks.ufrag(1, TwoClusters.HOME, RelayRig.TRANSCEIVER));
        ReplayPort vip =
                new ReplayPort(
                        TwoClusters.INGRESS_VIP,
                        new Endpoint[] {client, client, client},
                        new byte[][] {away, media, media});
        ReplayPort upstream =
                new ReplayPort(Endpoint.of("10.0.0.1", 3479), new Endpoint[0], new byte[0][]);
        SealingPort leg = new SealingPort(client, media);
        RelayCounters counters = new RelayCounters();
        Legs legs = TwoClusters.legs(TwoClusters.INGRESS, 1);
        TwoClusters.tell(legs, TwoClusters.MAP, TwoClusters.INGRESS, TwoClusters.INGRESS_LEG);
        FakeStore store = new FakeStore();
        RelayWorker worker = RelayRig.worker(vip, upstream, leg, legs, store.lane(), counters);

        long allocated = bytesAllocated(worker);
        assertThat(counters.count(Verdict.UP_BY_LEG)).isGreaterThan(2L * TURNS);
        assertThat(counters.count(Verdict.LEG_DOWN)).isGreaterThan(TURNS);
        assertThat(counters.count(Verdict.LEG_PROBE)).isGreaterThan(TURNS);
        assertThat(counters.count(Verdict.LEG_REPLAYED)).isGreaterThan(TURNS);
        assertThat(counters.count(Verdict.LEG_MALFORMED)).isGreaterThan(TURNS);
        assertThat(allocated).as("bytes in %d turns of 7 datagrams", TURNS).isLessThan(1_000);
    }

    private long bytesAllocated(RelayWorker worker) {
        for (int i = 0; i < WARM_UP_TURNS; i++) {
            now = i;
            var _ = worker.runOnce(now);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < TURNS; i++) {
            // A tick of the timer every other turn.
            now = WARM_UP_TURNS + i * 5_000_000L;
            var _ = worker.runOnce(now);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
