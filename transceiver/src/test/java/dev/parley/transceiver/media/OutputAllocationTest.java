package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a packet of output costs in garbage on the media loop. */
class OutputAllocationTest {
    private static final int PACKETS = 10_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Playout playout = new Playout(0, new DeafListener());
    private final OutputPath output =
            new OutputPath(1, OutputFormat.opus(111, 20, true), 0, 0, playout, 500_000_000L);
    private final ByteBuffer packet = ByteBuffer.allocate(1_500);
    private final Frame frame =
            new Frame(new PlayedItem("r", "i"), new byte[80], 960, 0, Backlog.chargeBytes(80), 0);

    @Test
    void sendsSpeechAndSilenceWithoutAllocating() {
        output.start(0);
        send();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        send();
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000);
    }

    private void send() {
        for (int i = 0; i < PACKETS; i++) {
            if (i % 50 < 25) {
                playout.offer(frame);
            }
            output.write(output.dueNanos(), packet, 0);
        }
    }
}
