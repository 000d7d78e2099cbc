package dev.parley.bench.audio;

import dev.parley.bench.telemetry.Setting;
import java.io.IOException;
import java.util.stream.Stream;

/**
 * Processor time of a transceiver per call and second, by how much it tells of itself: agents speak
 * without a pause, and each second is a response of its own, and so a span.
 */
public final class TransceiverTelemetry {
    private static final int WARM_UP_SECONDS = 8;

    /** However busy the machine is: who is refused says nothing of what a call costs. */
    private static final String ALL_AT_ONCE = "max_delay: 0s";

    private TransceiverTelemetry() {}

    /** Milliseconds a second for one call. */
    public static double millisPerSecond(Setting setting, int sessions, int seconds)
            throws IOException, InterruptedException {
        try (Agent agent = Agent.start();
                TransceiverProcess transceiver =
                        TransceiverProcess.start(
                                agent.target(),
                                Stream.concat(
                                                setting.options().entrySet().stream()
                                                        .map(
                                                                each ->
                                                                        each.getKey()
                                                                                + ": "
                                                                                + each.getValue()),
                                                Stream.of(ALL_AT_ONCE))
                                        .toList());
                Callers _ = Callers.call(transceiver, Agent.OPUS, sessions);
                Voices _ = Voices.startInTurns(agent.calls(), Agent.OPUS)) {
            Thread.sleep(WARM_UP_SECONDS * 1_000L);
            long before = transceiver.cpuNanos();
            Thread.sleep(seconds * 1_000L);
            return (transceiver.cpuNanos() - before) / 1e6 / seconds / sessions;
        }
    }
}
