package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What a packet costs in garbage on the loop's thread. */
class LoopAllocationTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final int PACKETS = 2_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void handsAnOpusPacketOverForTheMessageAlone() {
        try (Rig rig = Rig.withOpus()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            measure(rig, peer, 0);
            double bytes = measure(rig, peer, PACKETS);
            // The message, gRPC's frame of it and the JDK's GCM; nothing of the loop's own.
            assertThat(bytes).isLessThan(2_500);
        }
    }

    @Test
    void dropsAForgedPacketForTheCiphersGarbageAlone() {
        try (Rig rig = Rig.withOpus()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            forge(rig);
            double bytes = forge(rig);
            // The JDK's GCM tells a wrong tag by an exception; without it this would be nothing.
            assertThat(bytes).isLessThan(4_000);
        }
    }

    private static double measure(Rig rig, Peer peer, int from) {
        for (int i = from; i < from + PACKETS; i++) {
            peer.sendOpus(i, i * 960, new byte[80]);
        }
        return bytesPerPacket(rig);
    }

    private static double forge(Rig rig) {
        for (int i = 0; i < PACKETS; i++) {
            byte[] forged = new byte[100];
            forged[0] = (byte) 0x80;
            forged[1] = Peer.OPUS;
            rig.arrive(PLACE, forged);
        }
        return bytesPerPacket(rig);
    }

    private static double bytesPerPacket(Rig rig) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        rig.run();
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        return (double) allocated / PACKETS;
    }
}
