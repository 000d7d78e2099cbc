package dev.parley.bench.audio;

import dev.parley.proto.inference.v1.PlaybackCleared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code bench barge-in}: how long after an agent wrote ClearAudio the last packet of
 * what it cleared reaches the caller, with seconds of audio queued and other calls talking, and
 * whether {@code audio_end_ms} is what the caller got.
 */
public final class BargeInBench {
    private static final int SESSIONS = 100;
    private static final int QUEUED_PACKETS = 500;
    private static final int MIN_BYTES = 40;
    private static final int SIZES = 60;
    private static final int SETTLE_MILLIS = 150;

    /** Interruptions that do not count: a cold process reads seconds of audio slowly. */
    private static final int WARM_UP = 5;

    private BargeInBench() {}

    /** When packets of the response that speaks now came; its packets' length tells them apart. */
    private static final class Ear implements Caller.Listener {
        private int payloadBytes = -1;
        private long lastNanos;
        private int packets;

        synchronized void expect(int bytes) {
            payloadBytes = bytes;
            packets = 0;
            lastNanos = 0;
        }

        @Override
        public synchronized void packet(
                long nanos, int sequence, int timestamp, boolean marker, int bytes) {
            if (bytes == payloadBytes) {
                lastNanos = nanos;
                packets++;
            }
        }

        synchronized long lastNanos() {
            return lastNanos;
        }

        synchronized int packets() {
            return packets;
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AudioOptions options = AudioOptions.of(arguments, 1, 40);
        int sessions = options.sessions() == 0 ? SESSIONS : options.sessions();
        Results results = new Results("output");
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
            // The first half is load alone: it speaks in bursts, or all the time.
            int loaded = sessions / 2;
            List<Agent.Call> load = agent.calls().subList(0, loaded);
            try (Bursts _ = model.equals(Agent.OPUS) ? Bursts.start(load) : null;
                    Voices _ = model.equals(Agent.OPUS) ? null : Voices.start(load, model)) {
                List<Long> delays = new ArrayList<>();
                List<Double> errors = new ArrayList<>();
                Random random = new Random(3);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
                for (int k = 0; System.nanoTime() - end < 0; k++) {
                    int i = loaded + k % (sessions - loaded);
                    if (k == WARM_UP) {
                        delays.clear();
                        errors.clear();
                    }
                    interrupt(
                            agent.calls().get(i),
                            callers.all().get(i),
                            k,
                            model,
                            random,
                            delays,
                            errors);
                }
                String row = model + ", " + sessions + " sessions";
                results.add(row, "interruptions", delays.size());
                long[] nanos = delays.stream().mapToLong(Long::longValue).toArray();
                results.addMillis(row, "last packet ms", nanos, 50, 99, 100);
                long[] off = errors.stream().mapToLong(e -> Math.round(e * 1e6)).toArray();
                results.addMillis(row, "audio_end_ms off by", off, 50, 99, 100);
            }
        }
    }

    private static void interrupt(
            Agent.Call call,
            Caller caller,
            int k,
            String model,
            Random random,
            List<Long> delays,
            List<Double> errors)
            throws InterruptedException {
        boolean opus = model.equals(Agent.OPUS);
        int bytes = MIN_BYTES + k % SIZES;
        Ear ear = new Ear();
        caller.listen(opus ? ear : new SpeechEar(ear));
        ear.expect(opus ? bytes : SpeechEar.ANY);
        String response = "r" + k;
        for (int i = 0; i < QUEUED_PACKETS; i++) {
            call.say(response, opus ? Agent.opus(bytes) : Voices.frame(i));
        }
        Thread.sleep(200 + random.nextInt(400));
        long written = System.nanoTime();
        call.clear(response);
        PlaybackCleared cleared = call.cleared().poll(5, TimeUnit.SECONDS);
        Thread.sleep(SETTLE_MILLIS);
        delays.add(Math.max(0, ear.lastNanos() - written));
        if (cleared != null) {
            errors.add(Math.abs(cleared.getAudioEndMs() - ear.packets() * 20.0));
        }
    }

    /** Where packets' lengths vary: whatever is longer than silence is speech. */
    private record SpeechEar(Ear ear) implements Caller.Listener {
        static final int ANY = 0;
        private static final int SILENCE_BYTES = 3;

        @Override
        public void packet(long nanos, int sequence, int timestamp, boolean marker, int bytes) {
            if (bytes > SILENCE_BYTES) {
                ear.packet(nanos, sequence, timestamp, marker, ANY);
            }
        }
    }
}
