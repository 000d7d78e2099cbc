package dev.parley.bench.audio;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The command {@code bench audio-delay}: {@link MouthDelay}, and from OutputAudio written by the
 * agent to its packet at the caller, without loss. An agent that speaks in real time has each
 * message waited for by the beat of 20 ms and the start cushion; one that speaks ahead only has its
 * first message waited for by the beat. The promptest of many stands for what is left: gRPC, codec,
 * loop and sockets, with no wait at all.
 *
 * <p>The stages: {@link HandOver} is measured by itself. The callers' RTP clock tells when a packet
 * was due, which splits the rest in the wait for the first beat after the message was written,
 * whole packet times that it waited beyond that, and what it came late.
 */
public final class DelayBench {
    private static final int SESSIONS = 20;
    private static final int SILENCE_BYTES = 3;
    private static final int SPOKEN = 50;
    private static final long PACKET_NANOS = 20_000_000L;

    private DelayBench() {}

    /** Arrivals of speech packets, in order. */
    private static final class Ear implements Caller.Listener {
        private final long[] nanos = new long[2 * SPOKEN];
        private final long[] clock = new long[2 * SPOKEN];
        private int count;
        private boolean begun;
        private int firstTimestamp;
        private long leastNanos = Long.MAX_VALUE;

        @Override
        public synchronized void packet(
                long at, int sequence, int timestamp, boolean marker, int bytes) {
            if (!begun) {
                begun = true;
                firstTimestamp = timestamp;
            }
            long rtp = (timestamp - firstTimestamp) * 125_000L / 6;
            leastNanos = Math.min(leastNanos, at - rtp);
            if (bytes > SILENCE_BYTES && count < nanos.length) {
                clock[count] = rtp;
                nanos[count++] = at;
            }
        }

        synchronized Heard take() {
            Heard taken = new Heard(Arrays.copyOf(nanos, count), Arrays.copyOf(clock, count));
            count = 0;
            return taken;
        }

        /** When the promptest packet came, on its RTP clock: all are due so long after theirs. */
        synchronized long dueAfterClock() {
            return leastNanos;
        }
    }

    /** When packets came, and what their RTP clock showed. */
    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Heard(long[] nanos, long[] clock) {}

    /** What was measured in a way of speaking: when written, when heard, on which RTP clock. */
    private static final class Spoken {
        private long[] written = new long[0];
        private long[] heard = new long[0];
        private long[] clock = new long[0];

        void add(long[] when, Heard came, int messages) {
            written = append(written, when, messages);
            heard = append(heard, came.nanos(), messages);
            clock = append(clock, came.clock(), messages);
        }

        void report(Results results, String row, long dueAfterClock) {
            long[] whole = new long[written.length];
            long[] beat = new long[written.length];
            long[] queue = new long[written.length];
            long[] late = new long[written.length];
            for (int i = 0; i < written.length; i++) {
                long due = clock[i] + dueAfterClock;
                whole[i] = heard[i] - written[i];
                beat[i] = Math.floorMod(due - written[i], PACKET_NANOS);
                queue[i] = due - written[i] - beat[i];
                late[i] = heard[i] - due;
            }
            DelayBench.add(results, row, whole);
            DelayBench.add(results, row + ": wait for the beat", beat);
            DelayBench.add(results, row + ": beats missed or queued", queue);
            DelayBench.add(results, row + ": loop and socket", late);
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AudioOptions options = AudioOptions.of(arguments, 1, 25);
        int sessions = options.sessions() == 0 ? SESSIONS : options.sessions();
        Results results = new Results("stage");
        for (int round = 0; round < options.rounds(); round++) {
            for (String model : List.of(Agent.OPUS, Agent.LINEAR16)) {
                MouthDelay.measure(model, sessions, options.seconds(), results);
                measure(model, sessions, options.seconds(), results);
            }
        }
        add(results, "mouth to inference, gRPC hop, opus", HandOver.input(Agent.OPUS));
        add(
                results,
                "mouth to inference, gRPC hop and codec, linear16",
                HandOver.input(Agent.LINEAR16));
        add(results, "inference to ear, gRPC hop, opus", HandOver.output(Agent.OPUS));
        add(
                results,
                "inference to ear, gRPC hop and codec, linear16",
                HandOver.output(Agent.LINEAR16));
        results.report(options);
    }

    private static void measure(String model, int sessions, int seconds, Results results)
            throws IOException, InterruptedException {
        try (Agent agent = Agent.start();
                TransceiverProcess transceiver =
                        TransceiverProcess.start(agent.target(), List.of("max_sessions: 2000"));
                Callers callers = Callers.call(transceiver, model, sessions)) {
            Thread[] speakers = new Thread[sessions];
            for (int i = 0; i < sessions; i++) {
                Agent.Call call = agent.calls().get(i);
                Ear ear = new Ear();
                callers.all().get(i).listen(ear);
                Random random = new Random(i);
                speakers[i] =
                        Thread.ofPlatform()
                                .start(() -> speak(model, call, ear, random, seconds, results));
            }
            for (Thread speaker : speakers) {
                speaker.join();
            }
        }
    }

    private static void speak(
            String model, Agent.Call call, Ear ear, Random random, int seconds, Results results) {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        Spoken realTime = new Spoken();
        Spoken ahead = new Spoken();
        try {
            Thread.sleep(1_000);
            for (int turn = 0; System.nanoTime() - end < 0; turn++) {
                Thread.sleep(300, random.nextInt(1_000_000));
                var _ = ear.take();
                long[] written = spurt(model, call, turn % 2 == 0);
                Thread.sleep(400 + (turn % 2 == 0 ? 0 : SPOKEN * 20L));
                Heard heard = ear.take();
                // A packet for each message, or the last was filled up: then none is told apart.
                if (heard.nanos().length == SPOKEN && turn > 1) {
                    if (turn % 2 == 0) {
                        realTime.add(written, heard, SPOKEN);
                    } else {
                        ahead.add(written, heard, 1);
                    }
                }
            }
        } catch (InterruptedException _) {
            return;
        }
        synchronized (results) {
            realTime.report(
                    results, "inference to ear, " + model + ", in real time", ear.dueAfterClock());
            ahead.report(results, "inference to ear, " + model + ", ahead", ear.dueAfterClock());
        }
    }

    private static void add(Results results, String row, long[] nanos) {
        if (nanos.length > 0) {
            results.addMillis(row, "ms", nanos, 1, 50, 99, 100);
        }
    }

    private static long[] spurt(String model, Agent.Call call, boolean inRealTime)
            throws InterruptedException {
        long[] written = new long[SPOKEN];
        long next = System.nanoTime();
        for (int i = 0; i < SPOKEN; i++) {
            if (inRealTime) {
                long wait = next - System.nanoTime();
                if (wait > 0) {
                    Thread.sleep(wait / 1_000_000L, (int) (wait % 1_000_000L));
                }
                next += PACKET_NANOS;
            }
            written[i] = System.nanoTime();
            call.say("r", message(model, i));
        }
        return written;
    }

    /** 20 ms of speech. */
    static byte[] message(String model, int i) {
        return model.equals(Agent.OPUS) ? Agent.opus(60) : Voices.frame(i);
    }

    private static long[] append(long[] all, long[] more, int count) {
        long[] longer = Arrays.copyOf(all, all.length + count);
        System.arraycopy(more, 0, longer, all.length, count);
        return longer;
    }
}
