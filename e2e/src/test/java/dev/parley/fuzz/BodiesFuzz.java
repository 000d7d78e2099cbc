package dev.parley.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.MediaTypeHeader;
import dev.parley.signaling.http.MultipartForm;
import dev.parley.signaling.http.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What the body of a call's request may be: JSON or a multipart form with any Content-Type. The
 * input is a Content-Type up to its first line feed, then the body.
 */
public final class BodiesFuzz {
    private BodiesFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        int lineFeed = 0;
        while (lineFeed < input.length && input[lineFeed] != '\n') {
            lineFeed++;
        }
        String header = new String(input, 0, lineFeed, StandardCharsets.ISO_8859_1);
        byte[] body = new byte[Math.max(0, input.length - lineFeed - 1)];
        System.arraycopy(input, input.length - body.length, body, 0, body.length);
        MediaTypeHeader type = MediaTypeHeader.parse(header);
        try {
            Map<String, byte[]> parts = MultipartForm.parse(body, type);
            int sum = parts.values().stream().mapToInt(part -> part.length).sum();
            if (sum > body.length) {
                throw new AssertionError("parts of " + sum + " bytes in " + body.length);
            }
        } catch (RefusedException refused) {
            demandMessage(refused);
        }
        try {
            ObjectNode object = Json.readObject(body, "The body", "");
            // What is passed on must be JSON again.
            Json.readObject(object.toString().getBytes(StandardCharsets.UTF_8), "The body", "");
        } catch (RefusedException refused) {
            demandMessage(refused);
        }
    }

    private static void demandMessage(RefusedException refused) {
        if (String.valueOf(refused.getMessage()).isBlank()) {
            throw new AssertionError("a refusal without a message");
        }
    }
}
