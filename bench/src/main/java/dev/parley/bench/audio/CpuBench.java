package dev.parley.bench.audio;

import java.io.IOException;
import java.util.List;

/**
 * The command {@code bench audio-cpu}: processor time of the transceiver's process for each second
 * that an agent speaks, by what it speaks, beside what a silent call costs.
 */
public final class CpuBench {
    private static final int SESSIONS = 50;
    private static final int WARM_UP_SECONDS = 10;

    private CpuBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AudioOptions options = AudioOptions.of(arguments, 3, 10);
        int sessions = options.sessions() == 0 ? SESSIONS : options.sessions();
        Results results = new Results("output, " + sessions + " sessions");
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
                Callers _ = Callers.call(transceiver, model, sessions)) {
            Thread.sleep(WARM_UP_SECONDS * 1000L);
            double silent = millisPerSecond(transceiver, seconds) / sessions;
            try (Voices _ = Voices.start(agent.calls(), model)) {
                Thread.sleep(WARM_UP_SECONDS * 1000L);
                double speaking = millisPerSecond(transceiver, seconds) / sessions;
                results.add(model, "silent, ms CPU per s", silent);
                results.add(model, "speaking, ms CPU per s", speaking);
            }
        }
    }

    private static double millisPerSecond(TransceiverProcess transceiver, int seconds)
            throws IOException, InterruptedException {
        long before = transceiver.cpuNanos();
        Thread.sleep(seconds * 1000L);
        return (transceiver.cpuNanos() - before) / 1e6 / seconds;
    }
}
