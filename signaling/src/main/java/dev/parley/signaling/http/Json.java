package dev.parley.signaling.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The one JSON reader and writer. Numbers keep their digits, nesting and names are bounded. */
public final class Json {
    private static final int MAX_NESTING = 64;

    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(MAX_NESTING)
                                                    .build())
                                    .build())
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .build();

    private Json() {}

    /** A new object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /**
     * Reads one JSON object.
     *
     * @param what names the text in the refusal: "the body", "the session part"
     * @throws RefusedException when it is none; the message says where it goes wrong
     */
    public static ObjectNode readObject(byte[] utf8, String what, String param) {
        // RFC 8259 8.1: UTF-8. Given bytes, the reader would guess UTF-16 and UTF-32 as well.
        String text = text(utf8, what, param);
        JsonNode node;
        try {
            node = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            String where =
                    at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, what + " is not valid JSON" + where + ".", param);
        }
        // RFC 8259 8.2: an escape may name half a surrogate pair, which UTF-8 cannot pass on.
        String half = text.contains("\\u") ? findHalfPair(node, param) : null;
        if (half != null) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST,
                    what + " has half a surrogate pair in " + half + ".",
                    half);
        }
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new RefusedException(
                ErrorCode.INVALID_REQUEST, what + " is not a JSON object.", param);
    }

    /**
     * The path of the first string that is no Unicode text, or null; of a name, where it stands.
     */
    private static @Nullable String findHalfPair(JsonNode node, String path) {
        if (node.isTextual()) {
            return isUnicode(node.textValue()) ? null : path;
        }
        int index = 0;
        for (JsonNode element : node.isArray() ? node : List.<JsonNode>of()) {
            String half = findHalfPair(element, path + "[" + index + "]");
            if (half != null) {
                return half;
            }
            index++;
        }
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            if (!isUnicode(field.getKey())) {
                return path;
            }
            String dot = path.isEmpty() ? "" : ".";
            String half = findHalfPair(field.getValue(), path + dot + field.getKey());
            if (half != null) {
                return half;
            }
        }
        return null;
    }

    private static boolean isUnicode(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static String text(byte[] utf8, String what, String param) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException _) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, what + " is not UTF-8 text.", param);
        }
    }

    static byte[] bytes(ObjectNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }
}
