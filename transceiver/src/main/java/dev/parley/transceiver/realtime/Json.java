package dev.parley.transceiver.realtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Reads and makes JSON of events. Size, nesting and names are bounded. */
final class Json {
    /** Longest event that is read, in characters: what one message of a data channel holds. */
    static final int MAX_CHARS = 256 * 1024;

    /** Bytes of an event that are left for what stands around a session or an item. */
    private static final int AROUND_BYTES = 1_024;

    private static final int MAX_NESTING = 32;
    private static final int MAX_NUMBER_CHARS = 64;

    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(MAX_NESTING)
                                                    .maxNumberLength(MAX_NUMBER_CHARS)
                                                    .build())
                                    .build())
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    /** Reads one object; what is refused has its reason. */
    static ObjectNode read(String text) throws EventRefusal {
        if (text.length() > MAX_CHARS) {
            throw new EventRefusal(
                    ErrorCode.EVENT_TOO_LARGE,
                    "An event has at most " + MAX_CHARS + " characters.",
                    null);
        }
        JsonNode node;
        try {
            node = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new EventRefusal(
                    ErrorCode.INVALID_JSON,
                    "The event is not valid JSON at column " + column(e) + ".",
                    null);
        }
        // RFC 8259 8.2: such a string cannot be passed on in UTF-8.
        if (text.contains("\\u") && !UTF_8.newEncoder().canEncode(node.toString())) {
            throw new EventRefusal(
                    ErrorCode.INVALID_JSON, "The event has half a surrogate pair in it.", null);
        }
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new EventRefusal(ErrorCode.INVALID_JSON, "The event is not a JSON object.", null);
    }

    /** Refuses what clients could not be told again in one message. */
    static void requireTellable(ObjectNode object, String path) throws EventRefusal {
        if (object.toString().getBytes(UTF_8).length > MAX_CHARS - AROUND_BYTES) {
            throw new EventRefusal(
                    ErrorCode.EVENT_TOO_LARGE,
                    path + " has at most " + (MAX_CHARS - AROUND_BYTES) + " bytes.",
                    path);
        }
    }

    private static int column(JsonProcessingException e) {
        return e.getLocation() == null ? 1 : e.getLocation().getColumnNr();
    }
}
