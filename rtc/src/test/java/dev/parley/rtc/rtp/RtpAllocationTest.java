package dev.parley.rtc.rtp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RtpAllocationTest {
    private static final int ROUNDS = 20_000;
    private static final byte[] CNAME = "parley".getBytes(US_ASCII);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(512);
    private final RtpReader packet = new RtpReader();
    private final RtcpReader compound = new RtcpReader();
    private final RtcpWriter writer = new RtcpWriter();
    private final SequenceExtender extender = new SequenceExtender();
    private final ReceptionStatistics statistics = new ReceptionStatistics(48_000);
    private final NtpTime time = new NtpTime(0, 0);
    private long nowNanos;

    @Test
    void handlesPacketsAndReportsWithoutAllocating() {
        handle(ROUNDS);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        handle(ROUNDS);
        double bytesPerRound =
                (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / ROUNDS;

        assertThat(bytesPerRound).isLessThan(1);
    }

    private void handle(int rounds) {
        for (int i = 0; i < rounds; i++) {
            nowNanos += 20_000_000;
            RtpWriter.writeHeader(buffer, 0, false, 111, i, i * 960, 1);
            packet.wrap(buffer, 0, 120);
            packet.audioLevel(1);
            extender.extend(packet.sequenceNumber());
            statistics.receive(packet.sequenceNumber(), packet.timestamp(), nowNanos);
            statistics.endInterval();
            writer.begin(buffer, 0)
                    .senderReport(1, time.at(nowNanos), i, i, i)
                    .report(1, statistics, nowNanos)
                    .sourceDescription(1, CNAME)
                    .goodbye(1);
            compound.wrap(buffer, 0, writer.length());
            while (compound.next()) {
                compound.type();
            }
        }
    }
}
