package dev.parley.bench.audio;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * From a packet sent by the caller to its InputAudio at the agent, without loss. Each caller speaks
 * in real time, at a moment of its own within the 20 ms. What {@link HandOver} measures by itself
 * is part of it; the rest is sockets, loop and decryption.
 */
final class MouthDelay {
    private static final int PACKETS_PER_SECOND = 50;
    private static final long PACKET_NANOS = 1_000_000_000L / PACKETS_PER_SECOND;
    private static final long PACKET_MILLIS = 1_000 / PACKETS_PER_SECOND;
    private static final int WARM_UP_SECONDS = 3;

    private MouthDelay() {}

    /** One caller's packets: when each was sent and heard, 0 for not yet. */
    private static final class Mouth implements Agent.Listener {
        private final long[] sent;
        private final long[] heard;
        private long firstOffset = -1;

        Mouth(int packets) {
            sent = new long[packets];
            heard = new long[packets];
        }

        @Override
        public synchronized void audio(long nanos, long offsetMillis) {
            if (firstOffset < 0) {
                firstOffset = offsetMillis;
            }
            int index = Math.toIntExact((offsetMillis - firstOffset) / PACKET_MILLIS);
            if (index < heard.length) {
                heard[index] = nanos;
            }
        }

        void speak(Caller caller, List<byte[]> voice, long phaseNanos) {
            long next = System.nanoTime() + phaseNanos;
            try {
                for (int i = 0; i < sent.length; i++) {
                    LockSupport.parkNanos(next - System.nanoTime());
                    next += PACKET_NANOS;
                    sent[i] = System.nanoTime();
                    caller.say(voice.get(i % voice.size()));
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        /** What is behind the warm-up and was heard. */
        synchronized long[] delays() {
            long[] delays = new long[sent.length];
            int count = 0;
            for (int i = WARM_UP_SECONDS * PACKETS_PER_SECOND; i < sent.length; i++) {
                if (heard[i] != 0) {
                    delays[count++] = heard[i] - sent[i];
                }
            }
            return Arrays.copyOf(delays, count);
        }
    }

    static void measure(String model, int sessions, int seconds, Results results)
            throws IOException, InterruptedException {
        List<byte[]> voice = OpusVoice.packets(2);
        int packets = (WARM_UP_SECONDS + seconds) * PACKETS_PER_SECOND;
        try (Agent agent = Agent.start();
                TransceiverProcess transceiver =
                        TransceiverProcess.start(agent.target(), List.of("max_sessions: 2000"));
                Callers callers = Callers.call(transceiver, model, sessions)) {
            List<Mouth> mouths = new ArrayList<>();
            List<Thread> speakers = new ArrayList<>();
            Random random = new Random(1);
            for (int i = 0; i < sessions; i++) {
                Mouth mouth = new Mouth(packets);
                Caller caller = callers.all().get(i);
                agent.calls().get(i).listen(mouth);
                mouths.add(mouth);
                long phase = random.nextLong(PACKET_NANOS);
                speakers.add(Thread.ofPlatform().start(() -> mouth.speak(caller, voice, phase)));
            }
            for (Thread speaker : speakers) {
                speaker.join();
            }
            // The last packets are on their way.
            Thread.sleep(500);
            long[] all =
                    mouths.stream().flatMapToLong(mouth -> Arrays.stream(mouth.delays())).toArray();
            String row = "mouth to inference, whole, " + model;
            results.addMillis(row, "ms", all, 1, 50, 99, 100);
            results.add(
                    row, "missing", (double) sessions * seconds * PACKETS_PER_SECOND - all.length);
        }
    }
}
