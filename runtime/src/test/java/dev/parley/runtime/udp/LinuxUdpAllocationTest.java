package dev.parley.runtime.udp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The batched sockets allocate nothing per datagram, waiting, timers and wakeups included. */
@EnabledOnOs(OS.LINUX)
class LinuxUdpAllocationTest {
    private static final int WINDOW_TURNS = 5_000;
    private static final int MOST_WINDOWS = 100;
    private static final long MOST_BYTES = 500;
    private static final int BATCH = 4;

    private final LinuxUdpPoller poller = new LinuxUdpPoller();
    private final DatagramBatch batch = new DatagramBatch(BATCH, 38, 1_500);
    private long moved;

    @Test
    void movesDatagramsWithoutAllocating() {
        UdpPort left = bind("127.0.0.1");
        UdpPort wildcard = bind("0.0.0.0");
        poller.wakeEvery(TimeUnit.MILLISECONDS.toNanos(100));
        long least = Long.MAX_VALUE;
        // Until the compiler has done its work, calls box; how long that takes is the machine's.
        for (int window = 0; window < MOST_WINDOWS && least > MOST_BYTES; window++) {
            least = Math.min(least, allocatedBy(left, wildcard));
        }
        assertThat(moved).isGreaterThan(WINDOW_TURNS * 2L * BATCH - 1);
        assertThat(least).as("bytes in %d turns", WINDOW_TURNS).isLessThanOrEqualTo(MOST_BYTES);
        poller.close();
    }

    private long allocatedBy(UdpPort left, UdpPort wildcard) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < WINDOW_TURNS; i++) {
            turn(left, wildcard);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    // There and back; the way back leaves from the address that was used.
    private void turn(UdpPort left, UdpPort wildcard) {
        for (int i = 0; i < BATCH; i++) {
            batch.datagram(i, batch.slotOffset(i) + 38, 172);
            batch.peer(
                    i,
                    DatagramBatch.IPV4_MAPPED_HIGH,
                    DatagramBatch.IPV4_MAPPED_LOW | 0x7F00_0001L,
                    wildcard.localAddress().getPort());
            batch.local(i, 0, 0);
        }
        var _ = left.send(batch, 0, BATCH);
        poller.await(Long.MAX_VALUE);
        int arrived = wildcard.receive(batch);
        var _ = wildcard.send(batch, 0, arrived);
        poller.wakeup();
        poller.await(Long.MAX_VALUE);
        moved += arrived + left.receive(batch);
    }

    private UdpPort bind(String host) {
        return poller.bind(
                new InetSocketAddress(InetAddress.ofLiteral(host), 0),
                new UdpOptions(false, 1 << 20, 1 << 20));
    }
}
