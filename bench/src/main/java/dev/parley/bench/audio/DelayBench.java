package dev.parley.bench.audio;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The command {@code bench audio-delay}: from OutputAudio written by the agent to its packet at the
 * caller, without loss. An agent that speaks in real time has each message waited for by the beat
 * of 20 ms and the start cushion; one that speaks ahead only has its first message waited for by
 * the beat. The promptest of many stands for what is left: gRPC, codec, loop and sockets, with no
 * wait at all.
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
        private int count;

        @Override
        public synchronized void packet(
                long at, int sequence, int timestamp, boolean marker, int bytes) {
            if (bytes > SILENCE_BYTES && count < nanos.length) {
                nanos[count++] = at;
            }
        }

        synchronized long[] take() {
            long[] taken = Arrays.copyOf(nanos, count);
            count = 0;
            return taken;
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AudioOptions options = AudioOptions.of(arguments, 1, 25);
        int sessions = options.sessions() == 0 ? SESSIONS : options.sessions();
        Results results = new Results("inference to ear");
        for (int round = 0; round < options.rounds(); round++) {
            for (String model : List.of(Agent.OPUS, Agent.LINEAR16)) {
                measure(model, sessions, options.seconds(), results);
            }
        }
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
        long[] realTime = new long[0];
        long[] ahead = new long[0];
        try {
            Thread.sleep(1_000);
            for (int turn = 0; System.nanoTime() - end < 0; turn++) {
                Thread.sleep(300, random.nextInt(1_000_000));
                var _ = ear.take();
                long[] written = spurt(model, call, turn % 2 == 0);
                Thread.sleep(400 + (turn % 2 == 0 ? 0 : SPOKEN * 20L));
                long[] heard = ear.take();
                // A packet for each message, or the last was filled up: then none is told apart.
                if (heard.length == SPOKEN && turn > 1) {
                    if (turn % 2 == 0) {
                        realTime = append(realTime, written, heard, SPOKEN);
                    } else {
                        ahead = append(ahead, written, heard, 1);
                    }
                }
            }
        } catch (InterruptedException _) {
            return;
        }
        synchronized (results) {
            add(results, model + ", in real time", realTime);
            add(results, model + ", ahead", ahead);
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
            call.say("r", model.equals(Agent.OPUS) ? Agent.opus(60) : Voices.frame(i));
        }
        return written;
    }

    private static long[] append(long[] all, long[] written, long[] heard, int count) {
        long[] longer = Arrays.copyOf(all, all.length + count);
        for (int i = 0; i < count; i++) {
            longer[all.length + i] = heard[i] - written[i];
        }
        return longer;
    }
}
