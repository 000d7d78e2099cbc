package dev.parley.signaling;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.ServerResponseHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Which other web origins may call, by the Fetch standard's CORS protocol. Calls carry their
 * credentials in a header that pages must set themselves, never in cookies, so no response allows
 * credentials and {@code *} is a sound answer.
 */
final class Cors {
    private static final String ANY = "*";
    private static final String ALLOWED_HEADERS =
            "Authorization, Content-Type, X-OpenAI-Agents-SDK, OpenAI-Beta, If-Match";
    private static final String EXPOSED_HEADERS = "Location, ETag, Link, Retry-After";

    private final Set<String> origins;
    private final String maxAgeSeconds;

    Cors(List<String> allowedOrigins, Duration maxAge) {
        this.origins = Set.copyOf(allowedOrigins);
        this.maxAgeSeconds = String.valueOf(maxAge.toSeconds());
    }

    /** Adds to any response, errors too, what lets a page of an allowed origin read it. */
    void allow(ServerRequestHeaders request, ServerResponseHeaders response) {
        if (!origins.contains(ANY)) {
            // Caches must not hand one origin's answer to another.
            response.add(HeaderNames.VARY, HeaderNames.ORIGIN_NAME);
        }
        String origin = header(request, HeaderNames.ORIGIN);
        if (isAllowed(origin)) {
            response.set(
                    HeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origins.contains(ANY) ? ANY : origin);
            response.set(HeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
        }
    }

    /** Adds what a preflight asks for, when it is one. */
    void preflight(ServerRequestHeaders request, ServerResponseHeaders response, String methods) {
        if (request.contains(HeaderNames.ACCESS_CONTROL_REQUEST_METHOD)
                && isAllowed(header(request, HeaderNames.ORIGIN))) {
            response.set(HeaderNames.ACCESS_CONTROL_ALLOW_METHODS, methods);
            response.set(HeaderNames.ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
            response.set(HeaderNames.ACCESS_CONTROL_MAX_AGE, maxAgeSeconds);
        }
    }

    private boolean isAllowed(String origin) {
        return !origin.isEmpty() && (origins.contains(ANY) || origins.contains(origin));
    }

    private static String header(ServerRequestHeaders headers, HeaderName name) {
        return headers.first(name).orElse("");
    }
}
