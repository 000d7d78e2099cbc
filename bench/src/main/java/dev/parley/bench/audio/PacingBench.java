package dev.parley.bench.audio;

import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputPath;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.Playout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code bench pacing}: how evenly packets come to callers whose agent speaks in bursts
 * and stutters. Times are taken where a client receives, so what the load generator is late counts
 * against the transceiver.
 */
public final class PacingBench {
    private static final long PACKET_NANOS = 20_000_000L;
    private static final int[] SESSIONS = {1, 100, 500};
    private static final int WARM_UP_SECONDS = 3;

    private PacingBench() {}

    /** What one caller received. One thread writes. */
    private static final class Arrivals implements Caller.Listener {
        private final long[] nanos;
        private final long[] clock;
        private int count;
        private int lastSequence = -1;
        private int gaps;
        private int baseTimestamp;
        private volatile boolean recording;

        Arrivals(int capacity) {
            nanos = new long[capacity];
            clock = new long[capacity];
        }

        @Override
        public void packet(long at, int sequence, int timestamp, boolean marker, int payload) {
            if (!recording || count == nanos.length) {
                return;
            }
            if (count == 0) {
                baseTimestamp = timestamp;
            } else if ((lastSequence + 1 & 0xFFFF) != sequence) {
                gaps++;
            }
            lastSequence = sequence;
            nanos[count] = at;
            clock[count] = (timestamp - baseTimestamp) * 125_000L / 6;
            count++;
        }

        /** How much later than its RTP clock each packet came, against the promptest. */
        long[] lateness() {
            long[] late = new long[count];
            long least = Long.MAX_VALUE;
            for (int i = 0; i < count; i++) {
                late[i] = nanos[i] - clock[i];
                least = Math.min(least, late[i]);
            }
            for (int i = 0; i < count; i++) {
                late[i] -= least;
            }
            return late;
        }

        long[] intervals() {
            long[] intervals = new long[Math.max(0, count - 1)];
            for (int i = 1; i < count; i++) {
                intervals[i - 1] = nanos[i] - nanos[i - 1];
            }
            return intervals;
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AudioOptions options = AudioOptions.of(arguments, 3, 10);
        Results results = new Results("sessions");
        int[] counts = options.sessions() == 0 ? SESSIONS : new int[] {options.sessions()};
        for (int round = 0; round < options.rounds(); round++) {
            for (int count : counts) {
                measure(count, options.seconds(), results);
            }
        }
        results.report(options);
        System.out.println(
                "drift of the schedule in ten simulated minutes with late calls: "
                        + simulatedDriftNanos()
                        + " ns");
    }

    private static void measure(int sessions, int seconds, Results results)
            throws IOException, InterruptedException {
        try (Agent agent = Agent.start();
                TransceiverProcess transceiver =
                        TransceiverProcess.start(agent.target(), List.of("max_sessions: 2000"));
                Callers callers = Callers.call(transceiver, Agent.OPUS, sessions)) {
            List<Arrivals> arrivals =
                    callers.all().stream().map(_ -> new Arrivals(seconds * 60 + 200)).toList();
            for (int i = 0; i < sessions; i++) {
                callers.all().get(i).listen(arrivals.get(i));
            }
            try (Bursts bursts = Bursts.start(agent.calls())) {
                Thread.sleep(WARM_UP_SECONDS * 1000L);
                long cpu = transceiver.cpuNanos();
                arrivals.forEach(a -> a.recording = true);
                Thread.sleep(seconds * 1000L);
                arrivals.forEach(a -> a.recording = false);
                cpu = transceiver.cpuNanos() - cpu;
                report(sessions + "", arrivals, results);
                results.add(sessions + "", "CPU %", cpu / (seconds * 1e7));
                results.add(
                        sessions + "",
                        "said/s per call",
                        bursts.said() / (double) sessions / (seconds + WARM_UP_SECONDS));
            }
        }
    }

    private static void report(String row, List<Arrivals> arrivals, Results results) {
        long[] intervals = all(arrivals.stream().map(Arrivals::intervals).toList());
        long[] late = all(arrivals.stream().map(Arrivals::lateness).toList());
        long[] errors = Arrays.stream(intervals).map(i -> Math.abs(i - PACKET_NANOS)).toArray();
        results.addMillis(row, "interval ms", intervals, 0.1, 1, 50, 99, 99.9);
        results.addMillis(row, "off 20 ms by", errors, 50, 99, 99.9, 100);
        results.addMillis(row, "late ms", late, 50, 99, 99.9);
        results.add(row, "gaps", arrivals.stream().mapToInt(a -> a.gaps).sum());
    }

    private static long[] all(List<long[]> parts) {
        return parts.stream().flatMapToLong(Arrays::stream).toArray();
    }

    /** The output path's own schedule, called late at random, against what it should be. */
    private static long simulatedDriftNanos() {
        Playout playout = new Playout(240, new Unheard());
        OutputPath output = new OutputPath(1, OutputFormat.opus(111, 20, false), 0, 0, playout, 0);
        ByteBuffer packet = ByteBuffer.allocate(1_500);
        Random random = new Random(5);
        PlayedItem item = new PlayedItem("r", "");
        long start = 1_000_000_000L;
        output.start(start);
        int packets = 10 * 60 * 50;
        for (int i = 0; i < packets; i++) {
            if (i % 500 == 0) {
                for (int k = 0; k < 400; k++) {
                    playout.offer(new OutputItem.Frame(item, Agent.opus(60), 960, 0, 0, 0));
                }
            }
            long late = random.nextInt(100) == 0 ? 100_000_000L : random.nextInt(5_000_000);
            output.write(output.dueNanos() + late, packet, 0);
        }
        return output.dueNanos() - start - packets * PACKET_NANOS;
    }

    private static final class Unheard implements Playout.Listener {
        @Override
        public void started(PlayedItem item) {}

        @Override
        public void progressed(PlayedItem item) {}

        @Override
        public void stopped(PlayedItem item) {}

        @Override
        public void cleared(@Nullable PlayedItem item, long clearedSamples) {}

        @Override
        public void paused(@Nullable PlayedItem item) {}

        @Override
        public void marked(OutputItem.Mark mark) {}

        @Override
        public void hungUp(String message) {}
    }
}
