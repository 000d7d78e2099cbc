package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Metadata;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * What a stream's metadata says of its call, for proxies and load balancers that do not read
 * messages: the SessionStart says the same.
 */
final class CallHeaders {
    private static final Metadata.Key<String> SESSION = key("parley-session-id");
    private static final Metadata.Key<String> MODEL = key("parley-model");
    private static final Metadata.Key<String> TENANT = key("parley-tenant");

    /** The attribute that names who is calling. */
    private static final String CALLER = "caller";

    private CallHeaders() {}

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    static Metadata of(SessionStart start) {
        Metadata headers = new Metadata();
        put(headers, SESSION, start.getSessionId());
        put(headers, MODEL, start.getModel());
        put(headers, TENANT, start.getAttributesOrDefault(CALLER, ""));
        return headers;
    }

    /** Header values are visible ASCII; what is not is percent-encoded. */
    private static void put(Metadata headers, Metadata.Key<String> key, String value) {
        if (value.isEmpty()) {
            return;
        }
        boolean plain = value.chars().allMatch(c -> c > ' ' && c <= '~' && c != '%');
        headers.put(
                key,
                plain
                        ? value
                        : URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
    }
}
