package dev.parley.signaling.http;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.ServerResponseHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which other web origins may call, by the Fetch standard's CORS protocol. Calls carry their
 * credentials in a header that pages must set themselves, never in cookies, so no response allows
 * credentials and {@code *} is a sound answer.
 */
public final class Cors {
    private static final String ANY = "*";
    private static final List<String> ALLOWED_HEADERS =
            List.of(
                    "Authorization",
                    "Content-Type",
                    "X-OpenAI-Agents-SDK",
                    "OpenAI-Beta",
                    "If-Match",
                    "ETag");
    private static final String EXPOSED_HEADERS =
            "Location, ETag, Link, Retry-After, Accept-Post, Accept-Patch, WWW-Authenticate,"
                    + " Access-Control-Allow-Methods";
    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final int MAX_ASKED_HEADERS = 40;

    private final Set<String> origins;
    private final String maxAgeSeconds;

    /** Lets pages of these origins call; {@code *} is all. */
    public Cors(List<String> allowedOrigins, Duration maxAge) {
        this.origins = Set.copyOf(allowedOrigins);
        this.maxAgeSeconds = String.valueOf(maxAge.toSeconds());
    }

    /** Adds to any response, errors too, what lets a page of an allowed origin read it. */
    public void allow(ServerRequestHeaders request, ServerResponseHeaders response) {
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
            response.set(
                    HeaderNames.ACCESS_CONTROL_ALLOW_HEADERS,
                    String.join(", ", allowedHeaders(request)));
            response.set(HeaderNames.ACCESS_CONTROL_MAX_AGE, maxAgeSeconds);
        }
    }

    // Besides those that we know, whatever headers the client's library adds of its own: they are
    // not read, and without leave for them browsers would not send the request.
    private static Set<String> allowedHeaders(ServerRequestHeaders request) {
        Set<String> allowed = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        allowed.addAll(ALLOWED_HEADERS);
        for (String asked :
                header(request, HeaderNames.ACCESS_CONTROL_REQUEST_HEADERS).split(",", -1)) {
            String name = asked.strip();
            if (HEADER_NAME.matcher(name).matches()
                    && allowed.size() < ALLOWED_HEADERS.size() + MAX_ASKED_HEADERS) {
                allowed.add(name);
            }
        }
        return allowed;
    }

    /**
     * Whether a page may open a WebSocket, to which browsers do not apply CORS: pages of allowed
     * origins and our own may, and what is no page.
     */
    public boolean permits(ServerRequestHeaders request) {
        String origin = header(request, HeaderNames.ORIGIN);
        return origin.isEmpty()
                || isAllowed(origin)
                || origin.endsWith("://" + header(request, HeaderNames.HOST));
    }

    /**
     * Insists on what {@link #permits} says.
     *
     * @throws RefusedException when not
     */
    public void requirePermitted(ServerRequestHeaders request) {
        if (!permits(request)) {
            throw new RefusedException(
                    ErrorCode.FORBIDDEN, "Pages of this origin may not call.", "origin");
        }
    }

    private boolean isAllowed(String origin) {
        return !origin.isEmpty() && (origins.contains(ANY) || origins.contains(origin));
    }

    private static String header(ServerRequestHeaders headers, HeaderName name) {
        return headers.first(name).orElse("");
    }
}
