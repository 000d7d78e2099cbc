package dev.parley.bench.grpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with this one's flags and class path that answers line by line. */
final class ChildProcess implements AutoCloseable {
    /** Starts each line that is meant for the parent: libraries write to standard output too. */
    static final String ANSWER = "> ";

    private final Process process;
    private final BufferedReader answers;
    private final PrintWriter questions;

    ChildProcess(Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        answers = process.inputReader(StandardCharsets.UTF_8);
        questions = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    String ask(String question) throws IOException {
        questions.println(question);
        return readAnswer();
    }

    String readAnswer() throws IOException {
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith(ANSWER)) {
                return line.substring(ANSWER.length());
            }
        }
        throw new IOException("the other process ended");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
