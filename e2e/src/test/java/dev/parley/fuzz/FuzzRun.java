package dev.parley.fuzz;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs Jazzer in a JVM of its own. */
final class FuzzRun {
    private static final int SLOW_INPUT_SECONDS = 10;
    private static final Pattern UNNEEDED =
            Pattern.compile(
                    "(driver|playwright|webrtc-java|archunit|netty|grpc|opus|concentus|lettuce"
                            + "|opentelemetry|guava|reactor|byte-buddy)[^/]*\\.jar$");

    private FuzzRun() {}

    /**
     * How it went.
     *
     * @param exitCode 0 when nothing was found
     * @param output everything that Jazzer printed, when that was kept
     */
    record Result(int exitCode, String output) {}

    /**
     * Runs a class for hours.
     *
     * @param work folder for what it finds, from which the next run goes on
     */
    static int forLong(FuzzTarget target, Path work, Duration time)
            throws IOException, InterruptedException {
        List<String> command = command(List.of(), target.className(), work, time);
        command.add(target.corpus().toString());
        return start(command, false).exitCode();
    }

    /**
     * Runs a class for seconds, with code that is ready sooner, though slower, and with choices
     * that are the same each time.
     *
     * @param corpus folder of its inputs
     */
    static Result briefly(Class<?> type, Path corpus, Path work, Duration time)
            throws IOException, InterruptedException {
        List<String> quick = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        List<String> command = command(quick, type.getName(), work, time);
        command.add("-seed=1");
        command.add(corpus.toString());
        return start(command, true);
    }

    private static List<String> command(
            List<String> jvmFlags, String className, Path work, Duration time) throws IOException {
        Path found = Files.createDirectories(work.resolve("corpus"));
        Path failures = Files.createDirectories(work.resolve("failures"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmFlags);
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-XX:+EnableDynamicAgentLoading",
                        "-Xmx1g",
                        "-cp",
                        neededClassPath(),
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + className,
                        "--instrumentation_includes=dev.parley.**",
                        "--reproducer_path=" + failures,
                        "-artifact_prefix=" + failures + "/",
                        "-max_total_time=" + time.toSeconds(),
                        "-timeout=" + SLOW_INPUT_SECONDS,
                        "-print_final_stats=1",
                        found.toString()));
        return command;
    }

    /** Jazzer scans every class, twice: the fewer there are, the sooner it begins. */
    private static String neededClassPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !UNNEEDED.matcher(entry).find())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Result start(List<String> command, boolean keepOutput)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (!keepOutput) {
            builder.inheritIO();
        }
        Process process = builder.start();
        try {
            String output =
                    keepOutput
                            ? new String(
                                    process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            : "";
            return new Result(process.waitFor(), output);
        } finally {
            var _ = process.destroyForcibly();
        }
    }
}
