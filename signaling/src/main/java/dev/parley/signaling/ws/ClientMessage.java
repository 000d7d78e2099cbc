package dev.parley.signaling.ws;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.calls.Offer;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a client may say. Each message may carry an {@code id}, which its answer repeats. */
public sealed interface ClientMessage {
    /** Starts a call. */
    record Start(Offer offer, List<String> models) implements ClientMessage {}

    /** Takes up a call that was started elsewhere, or on a connection that broke. */
    record Attach(String call) implements ClientMessage {}

    /** Tells candidates, as an RFC 8840 fragment. */
    record Trickle(String fragment) implements ClientMessage {}

    /** Restarts ICE with a new offer. */
    record Restart(String sdp) implements ClientMessage {}

    /** Restarts ICE with a fragment of new credentials. */
    record RestartFragment(String fragment) implements ClientMessage {}

    /** Ends the call. */
    record HangUp() implements ClientMessage {}

    /**
     * Reads a message.
     *
     * @throws RefusedException when it is none; the message says why
     */
    static ClientMessage of(ObjectNode message) {
        String type = message.path("type").asText("");
        return switch (type) {
            case "offer" ->
                    new Start(
                            Offer.ofJson(message),
                            message.has("model") ? List.of(text(message, "model")) : List.of());
            case "attach" -> new Attach(text(message, "call"));
            case "trickle" -> new Trickle(fragment(message));
            case "restart" ->
                    message.has("sdp")
                            ? new Restart(text(message, "sdp"))
                            : new RestartFragment(text(message, "fragment"));
            case "hangup" -> new HangUp();
            default ->
                    throw new RefusedException(
                            ErrorCode.INVALID_REQUEST,
                            "The type is none of offer, attach, trickle, restart, hangup.",
                            "type");
        };
    }

    /**
     * Reads the text of a message.
     *
     * @throws RefusedException when it is no JSON object
     */
    static ObjectNode read(String text) {
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8), "The message", "");
    }

    // A fragment as WHIP has it, or a candidate as browsers have it: null for the end of them.
    private static String fragment(ObjectNode message) {
        if (message.has("fragment")) {
            return text(message, "fragment");
        }
        JsonNode candidate = message.path("candidate");
        if (candidate.isNull()) {
            return "a=end-of-candidates\r\n";
        }
        if (!(candidate instanceof ObjectNode object)) {
            throw invalid("The message has neither a fragment nor a candidate.", "candidate");
        }
        // Without ufrag, which in a fragment comes with the password that a candidate lacks.
        String text = line(object, "candidate");
        return "a=" + (text.isEmpty() ? "end-of-candidates" : text) + "\r\n";
    }

    private static String line(ObjectNode candidate, String name) {
        String text = candidate.path(name).asText("");
        if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
            throw invalid("The candidate has a line break.", "candidate." + name);
        }
        return text;
    }

    private static String text(ObjectNode message, String name) {
        JsonNode value = message.path(name);
        if (!value.isTextual() || value.textValue().isBlank()) {
            throw invalid("The message has no text \"" + name + "\".", name);
        }
        return value.textValue();
    }

    private static RefusedException invalid(String message, String param) {
        return new RefusedException(ErrorCode.INVALID_REQUEST, message, param);
    }
}
