package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** One item of what an agent says or asks for. Owned by its {@link Response}. */
final class ResponseItem {
    /** What it is made of. */
    enum Kind {
        AUDIO,
        TEXT,
        FUNCTION_CALL
    }

    final String id;

    /** Inference's name for it; empty when it gave none. */
    String name;

    final Kind kind;

    /** Place in the response. */
    final int index;

    /** Transcript, text or arguments so far. */
    final StringBuilder text = new StringBuilder();

    final String callId;
    final String function;

    /** How many characters of the text clients were told. */
    int toldChars;

    boolean done;

    /** Audio of it has come. */
    boolean hasAudio;

    /** All of its audio was heard. */
    boolean heardOut;

    /** It was cut off while it was heard, or before. */
    boolean cut;

    /** Milliseconds that the caller has heard. */
    long heardMillis;

    private String status = "in_progress";

    ResponseItem(String id, String name, Kind kind, int index, String callId, String function) {
        this.id = id;
        this.name = name;
        this.kind = kind;
        this.index = index;
        this.callId = callId;
        this.function = function;
    }

    void done(boolean whole) {
        done = true;
        status = whole ? "completed" : "incomplete";
    }

    /** The item as clients see it; while it is being made it has no content. */
    ObjectNode json() {
        ObjectNode item =
                Json.object()
                        .put("id", id)
                        .put("object", "realtime.item")
                        .put("type", kind == Kind.FUNCTION_CALL ? "function_call" : "message")
                        .put("status", status);
        if (kind == Kind.FUNCTION_CALL) {
            return item.put("name", function)
                    .put("call_id", callId)
                    .put("arguments", done ? text.toString() : "");
        }
        item.put("role", "assistant");
        var content = item.putArray("content");
        if (done) {
            ObjectNode part = content.addObject().put("type", partType());
            if (kind == Kind.TEXT) {
                part.put("text", text.toString());
            } else {
                // What was not heard is not part of the conversation, and where in the text that
                // begins is not known.
                part.put("transcript", cut ? null : text.toString());
            }
        }
        return item;
    }

    private String partType() {
        return kind == Kind.TEXT ? "output_text" : "output_audio";
    }

    /** The one content part, as events of content parts show it. */
    ObjectNode part() {
        return kind == Kind.TEXT
                ? Json.object().put("type", "text").put("text", text.toString())
                : Json.object().put("type", "audio").put("transcript", text.toString());
    }
}
