package dev.parley.app.load;

import dev.parley.runtime.config.ConfigException;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The command {@code ./parley load}. */
public final class LoadCommand {
    private static final int EXIT_FAILED = 1;
    private static final long FINISH_MILLIS = 10_000;

    private LoadCommand() {}

    /**
     * Runs it and writes what it shows.
     *
     * @param given values of {@link LoadOptions#names}
     * @return the exit code: 0 when anybody got through, else 1
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
            LoadResults results = run.run(view);
            int exit = finish(options, view, results);
            forget(hook);
            return exit;
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

    private static int finish(LoadOptions options, LoadView view, LoadResults results) {
        String hopeless = results.hopeless();
        if (hopeless != null) {
            System.err.println("parley: no call got through: " + hopeless);
        } else {
            view.summary(results);
        }
        write("json", options.json(), Json.text(results.figures()));
        options.html().ifPresent(_ -> write("html", options.html(), HtmlReport.of(results)));
        if (results.connected() == 0 && hopeless == null) {
            System.err.println("parley: no call connected: " + results.total().errors);
        }
        return results.connected() > 0 ? 0 : EXIT_FAILED;
    }

    private static void write(String option, Optional<Path> file, String text) {
        file.ifPresent(
                path -> {
                    try {
                        Files.writeString(path, text);
                    } catch (IOException e) {
                        throw new ConfigException(
                                "--"
                                        + option
                                        + " "
                                        + path
                                        + " cannot be written: "
                                        + e.getMessage());
                    }
                });
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
