package dev.parley.app;

import dev.parley.app.load.HttpCalls;
import dev.parley.app.load.LoadOptions;
import dev.parley.app.load.LoadRun;
import dev.parley.app.load.SpeechFrames;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Has a fresh process carry calls before anybody depends on it: a whole system of its own on
 * loopback, called by whole clients, and gone again before the process says that it is ready. A JVM
 * compiles what it finds busy; found out by the first hundred callers, it takes both the processor
 * and the milliseconds that their audio needs. So does what it finds out by the first strangers.
 * Nothing of it is counted or traced, and a failure only leaves the process as cold as it was.
 */
final class Rehearsal {
    private static final System.Logger LOGGER = System.getLogger(Rehearsal.class.getName());

    /** Whose lines would tell of calls that nobody made. */
    private static final Logger PRODUCT = Logger.getLogger("dev.parley");

    private static final UpOptions ANYWHERE =
            new UpOptions(0, 0, List.of(InetAddress.ofLiteral("127.0.0.1")));

    private Rehearsal() {}

    /**
     * Runs on the calling thread.
     *
     * @param length of the calls, from a second on; starting, ending and connecting come on top;
     *     zero for no rehearsal
     * @return calls that connected
     */
    static long run(Duration length) {
        if (length.isZero()) {
            return 0;
        }
        long began = System.nanoTime();
        Level level = PRODUCT.getLevel();
        PRODUCT.setLevel(Level.SEVERE);
        AtomicLong connected = new AtomicLong();
        try (AllInOne system = AllInOne.start(ANYWHERE, Telemetry.none())) {
            // Opus as it came, and 16-bit samples, which take the codec's way.
            Thread echo = caller(system.url(), "echo", length, connected);
            Thread parrot = caller(system.url(), "parrot", length, connected);
            Thread stranger = stranger(system, () -> echo.isAlive() || parrot.isAlive());
            echo.join();
            parrot.join();
            stranger.join();
        } catch (ConfigException e) {
            failed(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            PRODUCT.setLevel(level);
        }
        LOGGER.log(
                System.Logger.Level.INFO,
                "rehearsed with {0} calls of its own in {1} ms",
                connected.get(),
                Duration.ofNanos(System.nanoTime() - began).toMillis());
        return connected.get();
    }

    private static void failed(Exception e) {
        LOGGER.log(
                System.Logger.Level.ERROR,
                "the rehearsal failed; the first calls will be slower",
                e);
    }

    private static Thread caller(String url, String model, Duration length, AtomicLong connected) {
        return Thread.ofVirtual()
                .name("rehearsal")
                .start(() -> connected.addAndGet(call(url, model, length)));
    }

    private static Thread stranger(AllInOne system, BooleanSupplier going) {
        return Thread.ofVirtual()
                .name("rehearsal-stranger")
                .start(
                        () -> {
                            try (HttpCalls calls =
                                            new HttpCalls(
                                                    URI.create(system.url()), "echo", "", true);
                                    Stranger stranger = new Stranger(system.relayAddress())) {
                                stranger.run(calls, going);
                            } catch (IOException e) {
                                failed(e);
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private static long call(String url, String model, Duration length) {
        LoadOptions options =
                LoadOptions.of(
                        Map.of(
                                "url", url,
                                "model", model,
                                "sessions", "8",
                                "ramp", "16",
                                "call-seconds", "1",
                                "data-channel", "2",
                                "warm-up", "0",
                                "seconds", Long.toString(Math.max(1, length.toSeconds()))));
        try (HttpCalls requests = new HttpCalls(options.url(), model, "", true);
                LoadRun run = new LoadRun(options, requests, SpeechFrames.builtIn())) {
            return run.run((_, _, _) -> {}).connected();
        } catch (RuntimeException e) {
            failed(e);
            return 0;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }
}
