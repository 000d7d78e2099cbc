package dev.parley.signaling.http;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A media type with its parameters, as {@code Content-Type} and multipart parts carry it, RFC 9110
 * 8.3.1; read leniently. Also reads {@code Content-Disposition}, which has the same shape.
 *
 * @param value lower case, {@code application/sdp}
 * @param parameters by lower-case name
 */
public record MediaTypeHeader(String value, Map<String, String> parameters) {
    /** Reads what a header says; never refuses. */
    public static MediaTypeHeader parse(String text) {
        int semicolon = text.indexOf(';');
        String value = (semicolon < 0 ? text : text.substring(0, semicolon)).strip();
        Map<String, String> parameters = new HashMap<>();
        int at = semicolon < 0 ? text.length() : semicolon + 1;
        while (at < text.length()) {
            int equals = text.indexOf('=', at);
            if (equals < 0) {
                break;
            }
            String name = text.substring(at, equals).strip().toLowerCase(Locale.ROOT);
            StringBuilder content = new StringBuilder();
            at = readValue(text, equals + 1, content);
            parameters.putIfAbsent(name, content.toString());
        }
        return new MediaTypeHeader(value.toLowerCase(Locale.ROOT), Map.copyOf(parameters));
    }

    /** A parameter by its lower-case name. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    // Answers where the next parameter starts.
    private static int readValue(String text, int start, StringBuilder into) {
        int at = start;
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        if (at >= text.length() || text.charAt(at) != '"') {
            int end = text.indexOf(';', at);
            end = end < 0 ? text.length() : end;
            into.append(text.substring(Math.min(at, end), end).strip());
            return end + 1;
        }
        for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
            // RFC 9110 5.6.4: a quoted pair stands for its second character.
            if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                at++;
            }
            into.append(text.charAt(at));
        }
        int end = text.indexOf(';', at);
        return end < 0 ? text.length() : end + 1;
    }
}
