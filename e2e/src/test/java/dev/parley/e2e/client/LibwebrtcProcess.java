package dev.parley.e2e.client;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A call by libwebrtc in another process, told what to do step by step. Owned by one drill. */
public final class LibwebrtcProcess implements AutoCloseable {
    /** What its answers begin with; libwebrtc and the JVM print, too. */
    static final String ANSWER = "figure ";

    /** What it can be asked for. */
    public enum Step {
        /** Says the sample twice and answers how alike an echo is, a {@link Correlation} score. */
        TALK,
        /** Is silent for 6 seconds and answers the packets that came in this time. */
        LISTEN,
        /** Restarts ICE and answers the milliseconds until signaling has answered. */
        RESTART,
        /** Hangs up through signaling and answers the HTTP status. */
        HANG_UP
    }

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter steps;
    private final double connectedMillis;

    private LibwebrtcProcess(Process process) {
        this.process = process;
        answers = process.inputReader();
        steps = process.outputWriter();
        connectedMillis = answer();
    }

    /**
     * Calls the agent that echoes and returns once media can flow.
     *
     * @param prefix words such as a namespace to run it in
     */
    public static LibwebrtcProcess call(List<String> prefix, URI base) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LibwebrtcClient.class.getName(),
                        base.toString()));
        try {
            return new LibwebrtcProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Milliseconds from making the offer to the end of DTLS. */
    public double connectedMillis() {
        return connectedMillis;
    }

    /** Has it do something and answers the figure of it. */
    public double go(Step step) {
        try {
            steps.write(step.name());
            steps.newLine();
            steps.flush();
            return answer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private double answer() {
        List<String> others = new ArrayList<>();
        try {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith(ANSWER)) {
                    return Double.parseDouble(line.substring(ANSWER.length()));
                }
                others.add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError("no answer; it printed:\n" + String.join("\n", others));
    }

    @Override
    public void close() {
        var _ = process.destroyForcibly();
    }
}
