package dev.parley.signaling.ws;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The opening handshake of a WebSocket, RFC 6455 4.2. Browsers cannot set headers on it, so a
 * credential may come as a subprotocol that begins with one of {@link #CREDENTIAL_PREFIXES}.
 */
final class Handshake {
    static final HeaderName KEY = HeaderNames.create("Sec-WebSocket-Key");
    static final HeaderName VERSION = HeaderNames.create("Sec-WebSocket-Version");
    static final HeaderName PROTOCOL = HeaderNames.create("Sec-WebSocket-Protocol");

    /** RFC 6455 4.1. */
    static final String SUPPORTED_VERSION = "13";

    static final List<String> CREDENTIAL_PREFIXES =
            List.of("parley.bearer.", "openai-insecure-api-key.");

    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;

    private Handshake() {}

    /** Whether the request is one that can be answered with 101. */
    static boolean isSound(Headers headers) {
        return headers.first(HeaderNames.UPGRADE)
                        .filter(value -> value.toLowerCase(Locale.ROOT).equals("websocket"))
                        .isPresent()
                && SUPPORTED_VERSION.equals(headers.first(VERSION).orElse(""))
                && headers.first(KEY).filter(Handshake::isKey).isPresent();
    }

    private static boolean isKey(String text) {
        try {
            return Base64.getDecoder().decode(text).length == KEY_BYTES;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /** What proves that we understood the key. */
    static String accept(String key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1")
                            .digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    /** The credential among the subprotocols, if there is one. */
    static Optional<String> credential(Headers headers) {
        for (String protocol : protocols(headers)) {
            for (String prefix : CREDENTIAL_PREFIXES) {
                if (protocol.startsWith(prefix)) {
                    return Optional.of(protocol.substring(prefix.length()));
                }
            }
        }
        return Optional.empty();
    }

    /** The subprotocol to choose: the first that is no credential. */
    static Optional<String> protocol(Headers headers) {
        return protocols(headers).stream()
                .filter(protocol -> CREDENTIAL_PREFIXES.stream().noneMatch(protocol::startsWith))
                .findFirst();
    }

    private static List<String> protocols(Headers headers) {
        List<String> protocols = new ArrayList<>();
        if (headers.contains(PROTOCOL)) {
            for (String line : headers.get(PROTOCOL).allValues()) {
                for (String protocol : line.split(",", -1)) {
                    protocols.add(protocol.strip());
                }
            }
        }
        return protocols;
    }
}
