package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.transceiver.speech.SpeechSettings;
import org.jspecify.annotations.Nullable;

/**
 * Who says when the caller's turn begins and ends, and what follows of it.
 *
 * @param speech how the edge listens; null when the client commits turns itself
 * @param createResponse whether a turn is to be answered without being asked for
 * @param interruptResponse whether speech stops what the agent says
 * @param idleTimeoutMillis so long after the agent has spoken a silent caller is spoken to; 0 for
 *     never
 */
record TurnDetection(
        @Nullable SpeechSettings speech,
        boolean createResponse,
        boolean interruptResponse,
        int idleTimeoutMillis) {
    /** Turns are committed by the client. */
    static final TurnDetection NONE = new TurnDetection(null, false, false, 0);

    private static final float LEAST_THRESHOLD = 0.01f;
    private static final float MOST_THRESHOLD = 0.99f;

    /** Nobody here understands what is said: how eager to answer becomes how long to wait. */
    private static final int HIGH_EAGERNESS_SILENCE_MILLIS = 300;

    private static final int MEDIUM_EAGERNESS_SILENCE_MILLIS = 600;
    private static final int LOW_EAGERNESS_SILENCE_MILLIS = 1_500;

    private static final int LEAST_IDLE_MILLIS = 5_000;
    private static final int MOST_IDLE_MILLIS = 30_000;

    /** What a session has that says nothing of it. */
    static ObjectNode defaults(SpeechSettings speech) {
        return Json.object()
                .put("type", "server_vad")
                .put("threshold", speech.threshold())
                .put("prefix_padding_ms", speech.prefixPaddingMillis())
                .put("silence_duration_ms", speech.silenceDurationMillis())
                .putNull("idle_timeout_ms")
                .put("create_response", true)
                .put("interrupt_response", true);
    }

    /**
     * Reads it, and fills in what it leaves out.
     *
     * @param path where it stands in the event
     */
    static TurnDetection read(ObjectNode json, String path) throws EventRefusal {
        Fields fields = new Fields(json, path);
        boolean create = fields.bool("create_response", true);
        boolean interrupt = fields.bool("interrupt_response", true);
        SpeechSettings speech =
                switch (fields.string("type")) {
                    case "server_vad" -> serverVad(json, fields);
                    case "semantic_vad" -> semanticVad(json, fields);
                    default -> throw fields.badValue("type", "\"server_vad\" or \"semantic_vad\"");
                };
        json.put("create_response", create).put("interrupt_response", interrupt);
        return new TurnDetection(speech, create, interrupt, idleTimeout(json, fields));
    }

    private static SpeechSettings serverVad(ObjectNode json, Fields fields) throws EventRefusal {
        double threshold = fields.number("threshold", 0, 1, SpeechSettings.DEFAULT_THRESHOLD);
        int padding =
                fields.whole(
                        "prefix_padding_ms",
                        SpeechSettings.MAX_MILLIS,
                        SpeechSettings.DEFAULT_PREFIX_PADDING_MILLIS);
        int silence =
                fields.whole(
                        "silence_duration_ms",
                        SpeechSettings.MAX_MILLIS,
                        SpeechSettings.DEFAULT_SILENCE_DURATION_MILLIS);
        json.put("threshold", threshold)
                .put("prefix_padding_ms", padding)
                .put("silence_duration_ms", silence);
        return new SpeechSettings(
                Math.clamp((float) threshold, LEAST_THRESHOLD, MOST_THRESHOLD), padding, silence);
    }

    private static int idleTimeout(ObjectNode json, Fields fields) throws EventRefusal {
        boolean serverVad = fields.string("type").equals("server_vad");
        if (fields.find("idle_timeout_ms") == null) {
            if (serverVad) {
                json.putNull("idle_timeout_ms");
            }
            return 0;
        }
        if (!serverVad) {
            throw fields.badValue("idle_timeout_ms", "left out: only server_vad has it");
        }
        return fields.whole("idle_timeout_ms", LEAST_IDLE_MILLIS, MOST_IDLE_MILLIS, 0);
    }

    private static SpeechSettings semanticVad(ObjectNode json, Fields fields) throws EventRefusal {
        String eagerness = fields.findString("eagerness");
        String chosen = eagerness == null ? "auto" : eagerness;
        int silence =
                switch (chosen) {
                    case "low" -> LOW_EAGERNESS_SILENCE_MILLIS;
                    case "auto", "medium" -> MEDIUM_EAGERNESS_SILENCE_MILLIS;
                    case "high" -> HIGH_EAGERNESS_SILENCE_MILLIS;
                    default ->
                            throw fields.badValue(
                                    "eagerness", "\"low\", \"medium\", \"high\" or \"auto\"");
                };
        json.put("eagerness", chosen);
        return new SpeechSettings(
                SpeechSettings.DEFAULT_THRESHOLD,
                SpeechSettings.DEFAULT_PREFIX_PADDING_MILLIS,
                silence);
    }
}
