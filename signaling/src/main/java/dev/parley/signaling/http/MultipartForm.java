package dev.parley.signaling.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A {@code multipart/form-data} body, RFC 7578, that is already in memory and bounded. Parts are
 * found by name; the types that clients give them, or do not, make no difference here.
 */
public final class MultipartForm {
    private static final int MAX_PARTS = 16;

    private MultipartForm() {}

    /**
     * The content of each part by its name.
     *
     * @throws RefusedException when the body has no such form
     */
    public static Map<String, byte[]> parse(byte[] body, MediaTypeHeader contentType) {
        String boundary = contentType.parameter("boundary").orElse("");
        // RFC 2046 5.1.1: 1 to 70 characters.
        if (boundary.isEmpty() || boundary.length() > 70) {
            throw malformed("its Content-Type has no usable boundary");
        }
        byte[] delimiter = ascii("\r\n--" + boundary);
        byte[] text = withLineBreakBefore(body);
        Map<String, byte[]> parts = new HashMap<>();
        int at = afterNext(delimiter, text, 0);
        while (!startsWith(text, at, ascii("--"))) {
            // The rest of the delimiter's line is padding; a part may have no header line at all.
            int headers = afterNext(ascii("\r\n"), text, at);
            int content = afterNext(ascii("\r\n\r\n"), text, headers - 2);
            int next = afterNext(delimiter, text, content - 2);
            int end = next - delimiter.length;
            if (end < content || parts.size() == MAX_PARTS) {
                throw malformed("its parts cannot be told apart");
            }
            String name =
                    name(new String(text, headers, content - headers, StandardCharsets.UTF_8));
            if (parts.putIfAbsent(name, Arrays.copyOfRange(text, content, end)) != null) {
                throw malformed("two parts have the same name");
            }
            at = next;
        }
        return parts;
    }

    private static String name(String headers) {
        for (String line : headers.split("\r\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0
                    && line.substring(0, colon)
                            .strip()
                            .toLowerCase(Locale.ROOT)
                            .equals("content-disposition")) {
                return MediaTypeHeader.parse(line.substring(colon + 1))
                        .parameter("name")
                        .orElseThrow(() -> malformed("a part has no name"));
            }
        }
        throw malformed("a part has no Content-Disposition");
    }

    // The first delimiter may stand at the very start, without the line break that is part of it.
    private static byte[] withLineBreakBefore(byte[] body) {
        byte[] text = new byte[2 + body.length];
        text[0] = '\r';
        text[1] = '\n';
        System.arraycopy(body, 0, text, 2, body.length);
        return text;
    }

    private static int afterNext(byte[] wanted, byte[] text, int from) {
        for (int i = from; i <= text.length - wanted.length; i++) {
            if (startsWith(text, i, wanted)) {
                return i + wanted.length;
            }
        }
        throw malformed("it ends before its last boundary");
    }

    private static boolean startsWith(byte[] text, int at, byte[] wanted) {
        int end = at + wanted.length;
        return end <= text.length && Arrays.equals(text, at, end, wanted, 0, wanted.length);
    }

    private static RefusedException malformed(String why) {
        return new RefusedException(
                ErrorCode.INVALID_REQUEST, "The multipart body cannot be read: " + why + ".");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
