package dev.parley.e2e.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A caller in a process of its own, which may stand in a network namespace: calls, then answers
 * each line of its standard input with one of JSON.
 */
public final class CallerProcess {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
    private static final Pattern UFRAG = Pattern.compile("a=ice-ufrag:(\\S+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    private CallerProcess() {}

    /**
     * Calls, and serves until told to quit.
     *
     * @param arguments signaling's URL, and model and further query of the call
     */
    public static void main(String[] arguments) throws Exception {
        try (LibwebrtcCaller caller =
                LibwebrtcCaller.call(URI.create(arguments[0]), arguments[1])) {
            LibwebrtcCaller.Setup setup = caller.awaitConnected(CONNECT_TIMEOUT);
            Matcher ufrag = UFRAG.matcher(caller.answerSdp());
            ObjectNode connected =
                    JSON.createObjectNode()
                            .put("answered_ms", setup.answered() - setup.offered())
                            .put("ice_ms", setup.iceConnected() - setup.answered())
                            .put("connected_ms", setup.connected() - setup.offered())
                            .put("ufrag", ufrag.find() ? ufrag.group(1) : "");
            System.out.println("caller " + connected);
            serve(caller);
        }
        System.exit(0);
    }

    private static void serve(LibwebrtcCaller caller) throws Exception {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            ObjectNode answer =
                    switch (line) {
                        case "stats" -> stats(caller);
                        case "say" -> say(caller);
                        case "restart" -> restart(caller);
                        case "quit" -> JSON.createObjectNode().put("hung_up", caller.hangUp());
                        default -> JSON.createObjectNode().put("unknown", line);
                    };
            System.out.println("caller " + answer);
            if (line.equals("quit")) {
                return;
            }
        }
    }

    private static ObjectNode stats(LibwebrtcCaller caller)
            throws IOException, InterruptedException {
        CallStats stats = caller.stats();
        return JSON.createObjectNode()
                .put("sent", stats.packetsSent())
                .put("received", stats.packetsReceived())
                .put("lost", stats.packetsLost())
                .put("concealed", stats.concealedSamples())
                .put("jitter_ms", stats.jitterMillis())
                .put("round_trip_ms", stats.roundTripMillis())
                .put("remote", stats.remoteAddress())
                .put("accepted", accepted(caller.location()));
    }

    /** Packets that the transceiver has accepted of this call. */
    private static long accepted(URI call) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            String body =
                    http.send(
                                    HttpRequest.newBuilder(call)
                                            .timeout(Duration.ofSeconds(10))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            return JSON.readTree(body).path("packets_received").asLong(-1);
        }
    }

    private static ObjectNode restart(LibwebrtcCaller caller) throws Exception {
        String answer = caller.restartIce(caller.location());
        return JSON.createObjectNode().put("answer", answer);
    }

    private static ObjectNode say(LibwebrtcCaller caller) {
        Wav words = SpeechSample.caller();
        caller.say(words).join();
        caller.listen(Duration.ofSeconds(2));
        return JSON.createObjectNode().put("score", Correlation.of(words, caller.heard()).score());
    }
}
