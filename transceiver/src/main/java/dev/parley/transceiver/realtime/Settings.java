package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks what sessions and the options of one response have in common, and those options. */
final class Settings {
    private static final int MAX_OUTPUT_TOKENS = 1_000_000;

    private Settings() {}

    /** Refuses what a session or a response cannot have. */
    static void check(Fields fields) throws EventRefusal {
        var _ = fields.findString("instructions");
        checkModalities(fields);
        checkTools(fields);
        checkMaxOutputTokens(fields);
    }

    /** Refuses options that a response cannot have. */
    static void checkResponse(Fields options) throws EventRefusal {
        check(options);
        String conversation = options.findString("conversation");
        if (conversation != null && !conversation.equals("auto") && !conversation.equals("none")) {
            throw options.badValue("conversation", "\"auto\" or \"none\"");
        }
        var _ = options.findObject("metadata");
        var _ = options.findObject("audio");
        var _ = options.findArray("input");
    }

    private static void checkModalities(Fields fields) throws EventRefusal {
        ArrayNode modalities = fields.findArray("output_modalities");
        if (modalities == null) {
            return;
        }
        for (JsonNode each : modalities) {
            if (!"audio".equals(each.textValue()) && !"text".equals(each.textValue())) {
                throw fields.badValue("output_modalities", "of \"audio\" and \"text\"");
            }
        }
        if (modalities.isEmpty()) {
            throw fields.badValue("output_modalities", "of \"audio\" and \"text\"");
        }
    }

    private static void checkTools(Fields fields) throws EventRefusal {
        ArrayNode tools = fields.findArray("tools");
        for (int i = 0; tools != null && i < tools.size(); i++) {
            String name = "tools[" + i + "]";
            if (!(tools.get(i) instanceof ObjectNode tool)) {
                throw fields.wrongType(name, "object");
            }
            var _ = new Fields(tool, fields.path(name)).string("type");
        }
        JsonNode choice = fields.find("tool_choice");
        if (choice != null && !choice.isTextual() && !choice.isObject()) {
            throw fields.wrongType("tool_choice", "string or object");
        }
    }

    private static void checkMaxOutputTokens(Fields fields) throws EventRefusal {
        JsonNode most = fields.find("max_output_tokens");
        if (most != null && !"inf".equals(most.textValue())) {
            var _ = fields.whole("max_output_tokens", 1, MAX_OUTPUT_TOKENS, 1);
        }
    }
}
