package dev.parley.app.load;

import dev.parley.runtime.config.ConfigException;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The command {@code ./parley load}. */
public final class LoadCommand {
    private static final int EXIT_FAILED = 1;
    private static final long FINISH_MILLIS = 10_000;

    private LoadCommand() {}

    /**
     * Runs it and writes what it shows.
     *
     * @param given values of {@link LoadOptions#names}
     * @return the exit code: 0 when anybody got through and not all of them broke off, and all was
     *     written, else 1
     * @throws ConfigException when an option cannot be used; the message names it
     */
    public static int run(Map<String, String> given) {
        LoadOptions options = LoadOptions.of(given);
        SpeechFrames speech =
                options.audio().map(SpeechFrames::of).orElseGet(SpeechFrames::builtIn);
        LoadView view = new LoadView(options, System.out, isTerminal());
        try (HttpCalls requests =
                        new HttpCalls(
                                options.url(),
                                options.model(),
                                options.apiKey(),
                                options.verifyTls());
                LoadRun run = new LoadRun(options, requests, speech)) {
            Thread hook = endEarly(run);
            try {
                LoadResults results = run.run(view);
                boolean good = finish(options, view, results) && isSound(run.fault());
                return good ? 0 : EXIT_FAILED;
            } finally {
                forget(hook);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return EXIT_FAILED;
        }
    }

    @SuppressWarnings("SystemConsoleNull") // Its documentation still allows it.
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private static boolean isSound(@Nullable Throwable fault) {
        if (fault != null) {
            System.err.println("parley: the generator itself has failed: " + fault);
        }
        return fault == null;
    }

    /** Tells the results; answers whether that went well and so did they. */
    private static boolean finish(LoadOptions options, LoadView view, LoadResults results) {
        String hopeless = results.hopeless();
        if (hopeless != null) {
            System.err.println("parley: no call got through: " + hopeless);
        } else {
            view.summary(results);
        }
        boolean json = write("json", options.json(), () -> Json.text(results.figures()));
        boolean html = write("html", options.html(), () -> HtmlReport.of(results));
        if (results.connected() == 0 && hopeless == null) {
            System.err.println("parley: no call connected: " + results.total().errors);
        }
        return json && html && results.connected() > results.total().brokenOff;
    }

    private static boolean write(String option, Optional<Path> file, Supplier<String> text) {
        if (file.isEmpty()) {
            return true;
        }
        try {
            Files.writeString(file.get(), text.get());
            return true;
        } catch (IOException e) {
            System.err.println("parley: --" + option + " " + file.get() + " is not written: " + e);
            return false;
        }
    }

    /** Ctrl-C ends the run early; what was measured until then is told all the same. */
    private static Thread endEarly(LoadRun run) {
        Thread main = Thread.currentThread();
        Thread hook =
                Thread.ofPlatform()
                        .unstarted(
                                () -> {
                                    run.interrupt();
                                    try {
                                        main.join(FINISH_MILLIS);
                                    } catch (InterruptedException _) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
        Runtime.getRuntime().addShutdownHook(hook);
        return hook;
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // It runs already.
        }
    }
}
