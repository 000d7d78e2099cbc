package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.Usage;
import dev.parley.transceiver.realtime.Response.End;
import dev.parley.transceiver.realtime.Response.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes responses as clients see them. */
final class ResponseJson {
    private ResponseJson() {}

    /**
     * A response that is being made.
     *
     * @param options what a client has asked of this one alone, or null
     */
    static ObjectNode inProgress(
            String id, List<ResponseItem> items, @Nullable ObjectNode options, ObjectNode session) {
        return response(id, "in_progress", items, options, session);
    }

    /** A response that is over. */
    static ObjectNode done(
            String id,
            End end,
            List<ResponseItem> items,
            @Nullable ObjectNode options,
            ObjectNode session) {
        ObjectNode response = response(id, end.status().text(), items, options, session);
        if (end.status() != Status.COMPLETED) {
            response.set("status_details", details(end));
        }
        if (end.usage() != null) {
            response.set("usage", usage(end.usage()));
        }
        return response;
    }

    private static ObjectNode response(
            String id,
            String status,
            List<ResponseItem> items,
            @Nullable ObjectNode options,
            ObjectNode session) {
        ObjectNode response =
                Json.object()
                        .put("object", "realtime.response")
                        .put("id", id)
                        .put("status", status)
                        .putNull("status_details");
        var output = response.putArray("output");
        items.forEach(item -> output.add(item.json()));
        for (String name : new String[] {"output_modalities", "max_output_tokens"}) {
            JsonNode own = options == null ? null : options.get(name);
            response.set(name, own == null ? session.get(name) : own);
        }
        JsonNode audio = session.at("/audio/output");
        response.putObject("audio").set("output", audio.deepCopy());
        response.putNull("usage");
        response.set("metadata", options == null ? null : options.get("metadata"));
        return response;
    }

    private static ObjectNode details(End end) {
        ObjectNode details = Json.object().put("type", end.status().text());
        if (end.status() == Status.FAILED) {
            details.putObject("error")
                    .put("type", "server_error")
                    .put("code", end.reason().isEmpty() ? "inference_failed" : end.reason())
                    .put("message", end.message());
        } else if (!end.reason().isEmpty()) {
            details.put("reason", end.reason());
        }
        return details;
    }

    private static ObjectNode usage(Usage usage) {
        ObjectNode json =
                Json.object()
                        .put(
                                "total_tokens",
                                tokens(usage.getInputTokens()) + tokens(usage.getOutputTokens()))
                        .put("input_tokens", tokens(usage.getInputTokens()))
                        .put("output_tokens", tokens(usage.getOutputTokens()));
        json.putObject("input_token_details")
                .put("text_tokens", tokens(usage.getInputTextTokens()))
                .put("audio_tokens", tokens(usage.getInputAudioTokens()))
                .put("cached_tokens", tokens(usage.getCachedTokens()));
        json.putObject("output_token_details")
                .put("text_tokens", tokens(usage.getOutputTextTokens()))
                .put("audio_tokens", tokens(usage.getOutputAudioTokens()));
        return json;
    }

    private static long tokens(int unsigned) {
        return Integer.toUnsignedLong(unsigned);
    }
}
