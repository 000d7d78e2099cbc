package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.transceiver.speech.SpeechSettings;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The session object of one call: our defaults, then what the client gave with its call, then its
 * updates. What this does not know it keeps for inference. Owned by the call's surface.
 */
final class RealtimeSession {
    private static final int RATE_HZ = 24_000;
    private static final double LEAST_SPEED = 0.25;
    private static final double MOST_SPEED = 1.5;

    /** What is the call's for good. */
    private final String id;

    private final String model;

    private ObjectNode json;
    private TurnDetection turnDetection;

    /**
     * A session of defaults.
     *
     * @param speech how the edge listens while the client says nothing of it
     */
    RealtimeSession(String id, String model, SpeechSettings speech) {
        this.id = id;
        this.model = model;
        this.json = defaults(speech);
        this.turnDetection = new TurnDetection(speech, true, true, 0);
        own(json);
    }

    private static ObjectNode defaults(SpeechSettings speech) {
        ObjectNode session = Json.object();
        session.putArray("output_modalities").add("audio");
        session.put("instructions", "");
        session.putArray("tools");
        session.put("tool_choice", "auto").put("max_output_tokens", "inf").putNull("tracing");
        ObjectNode audio = session.putObject("audio");
        ObjectNode input = audio.putObject("input");
        pcm(input.putObject("format"));
        input.putNull("transcription").putNull("noise_reduction");
        input.set("turn_detection", TurnDetection.defaults(speech));
        ObjectNode output = audio.putObject("output");
        pcm(output.putObject("format"));
        output.put("speed", 1.0);
        return session;
    }

    private static void pcm(ObjectNode format) {
        format.put("type", "audio/pcm").put("rate", RATE_HZ);
    }

    private void own(ObjectNode session) {
        session.put("type", "realtime")
                .put("object", "realtime.session")
                .put("id", id)
                .put("model", model);
    }

    ObjectNode json() {
        return json;
    }

    TurnDetection turnDetection() {
        return turnDetection;
    }

    /** Whether the client wants to read what the caller said. */
    boolean transcribes() {
        return !json.at("/audio/input/transcription").isMissingNode()
                && !json.at("/audio/input/transcription").isNull();
    }

    /**
     * Changes what the object names, all of it or nothing.
     *
     * @param path where it stands in the event
     */
    void update(ObjectNode change, String path) throws EventRefusal {
        check(change, path);
        ObjectNode next = json.deepCopy();
        merge(next, change, "");
        own(next);
        TurnDetection detection = detection(next, path);
        Json.requireTellable(next, path);
        json = next;
        turnDetection = detection;
    }

    private static TurnDetection detection(ObjectNode session, String path) throws EventRefusal {
        JsonNode node = session.at("/audio/input/turn_detection");
        return node instanceof ObjectNode object
                ? TurnDetection.read(object, path + ".audio.input.turn_detection")
                : TurnDetection.NONE;
    }

    /** Only what groups settings is merged; a setting is replaced whole. */
    private static void merge(ObjectNode into, ObjectNode change, String at) {
        for (Map.Entry<String, JsonNode> field : change.properties()) {
            String name = at + "/" + field.getKey();
            boolean group =
                    name.equals("/audio")
                            || name.equals("/audio/input")
                            || name.equals("/audio/output");
            if (group
                    && field.getValue() instanceof ObjectNode part
                    && into.get(field.getKey()) instanceof ObjectNode old) {
                merge(old, part, name);
            } else {
                into.set(field.getKey(), field.getValue().deepCopy());
            }
        }
    }

    private static void check(ObjectNode session, String path) throws EventRefusal {
        Fields fields = new Fields(session, path);
        String type = fields.findString("type");
        if (type != null && !type.equals("realtime")) {
            throw fields.badValue("type", "\"realtime\"");
        }
        var _ = fields.findString("model");
        Settings.check(fields);
        ObjectNode audio = fields.findObject("audio");
        if (audio == null && session.has("audio")) {
            throw fields.wrongType("audio", "object");
        }
        if (audio != null) {
            checkAudio(new Fields(audio, fields.path("audio")), audio);
        }
    }

    private static void checkAudio(Fields fields, ObjectNode audio) throws EventRefusal {
        Fields input = group(fields, audio, "input");
        if (input != null) {
            var _ = input.findObject("format");
            var _ = input.findObject("transcription");
            var _ = input.findObject("noise_reduction");
            var _ = input.findObject("turn_detection");
        }
        Fields output = group(fields, audio, "output");
        if (output != null) {
            var _ = output.findObject("format");
            var _ = output.number("speed", LEAST_SPEED, MOST_SPEED, 1);
        }
    }

    private static @Nullable Fields group(Fields fields, ObjectNode audio, String name)
            throws EventRefusal {
        ObjectNode object = fields.findObject(name);
        if (object == null && audio.has(name)) {
            throw fields.wrongType(name, "object");
        }
        return object == null ? null : new Fields(object, fields.path(name));
    }
}
