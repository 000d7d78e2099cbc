package dev.parley.e2e.global;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.e2e.client.CallerProcess;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteToken;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.route.RouteVerdict;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One call of libwebrtc, made in a namespace. Owned by one drill. */
final class Caller implements AutoCloseable {
    private static final String MARK = "caller ";
    private static final long STOP_SECONDS = 10;

    private final Process process;
    private final BufferedReader answers;
    private final Writer questions;
    private final JsonNode connected;

    /** Calls, and returns when media flows. */
    Caller(List<String> prefix, URI signaling, String query) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CallerProcess.class.getName(),
                        signaling.toString(),
                        query));
        process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        answers = process.inputReader();
        questions = process.outputWriter();
        connected = read();
    }

    private JsonNode read() throws IOException {
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith(MARK)) {
                return new ObjectMapper().readTree(line.substring(MARK.length()));
            }
        }
        throw new IOException("the caller's process has ended");
    }

    private JsonNode ask(String question) throws IOException {
        questions.write(question + "\n");
        questions.flush();
        return read();
    }

    /** How its set-up went. */
    JsonNode connected() {
        return connected;
    }

    /** What it knows of its call now. */
    JsonNode stats() throws IOException {
        return ask("stats");
    }

    /** Says some words; answers how well they come back. */
    double say() throws IOException {
        return ask("say").path("score").asDouble();
    }

    /** Restarts ICE, as a client does that hears nothing any more; returns with the answer. */
    void restart() throws IOException {
        var _ = ask("restart");
    }

    /** Whether it enters at a region, by the candidate pair that it uses. */
    boolean entersAt(Region region) throws IOException {
        return stats().path("remote").asText().startsWith(region.publicAddress() + ":");
    }

    /** Ends the call through signaling; answers the HTTP status. */
    int hangUp() throws IOException {
        return ask("quit").path("hung_up").asInt();
    }

    /** Id of the cluster that the call is in, by the route token that its answer has. */
    int cluster() {
        byte[] ufrag = connected.path("ufrag").asText().getBytes(StandardCharsets.US_ASCII);
        RouteToken token = new RouteToken();
        RouteTokens tokens =
                new RouteTokens(
                        RouteKeys.parse(
                                Map.of(
                                        String.valueOf(SmallWorld.ROUTE_KEY_ID),
                                        SmallWorld.ROUTE_KEY)));
        return tokens.open(ByteBuffer.wrap(ufrag), 0, ufrag.length, token) == RouteVerdict.OPENED
                ? token.clusterId()
                : -1;
    }

    @Override
    public void close() {
        var _ = process.destroyForcibly();
        try {
            var _ = process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
