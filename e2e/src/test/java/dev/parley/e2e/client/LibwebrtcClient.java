package dev.parley.e2e.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/**
 * A {@link LibwebrtcCaller} in a process of its own, which can stand in another network namespace.
 * Each line on its standard input is a step, and answered with a line: see {@link
 * LibwebrtcProcess}.
 */
final class LibwebrtcClient {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private LibwebrtcClient() {}

    public static void main(String[] arguments) throws IOException {
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(URI.create(arguments[0]), "echo");
                BufferedReader steps =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            say(caller.awaitConnected(PATIENCE).connected());
            for (String step = steps.readLine(); step != null; step = steps.readLine()) {
                say(
                        switch (LibwebrtcProcess.Step.valueOf(step)) {
                            case TALK -> talk(caller);
                            case LISTEN -> listen(caller);
                            case RESTART -> restart(caller);
                            case HANG_UP -> caller.hangUp();
                        });
            }
        }
    }

    /** How alike what comes back is to what is said, the better of two times. */
    private static double talk(LibwebrtcCaller caller) {
        double first = talkOnce(caller);
        return Math.max(first, talkOnce(caller));
    }

    private static double talkOnce(LibwebrtcCaller caller) {
        double from = caller.heard().seconds();
        caller.say(SpeechSample.caller()).join();
        caller.listen(Duration.ofSeconds(2));
        return Correlation.of(SpeechSample.caller(), caller.heard().after(from)).score();
    }

    private static double listen(LibwebrtcCaller caller) {
        long before = caller.stats().packetsReceived();
        caller.listen(Duration.ofSeconds(6));
        return caller.stats().packetsReceived() - before;
    }

    private static double restart(LibwebrtcCaller caller) {
        long started = System.nanoTime();
        var _ = caller.restartIce(caller.location());
        return (System.nanoTime() - started) / 1e6;
    }

    private static void say(double figure) {
        System.out.printf(Locale.ROOT, "%s%.3f%n", LibwebrtcProcess.ANSWER, figure);
    }
}
