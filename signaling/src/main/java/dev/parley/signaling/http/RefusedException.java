package dev.parley.signaling.http;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Ends the handling of a request with an error for its client. Carries no stack trace: refusing is
 * ordinary work and must stay cheap under abuse.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String param;
    private final transient Map<HeaderName, String> headers;

    private RefusedException(
            ErrorCode code, String message, String param, Map<HeaderName, String> headers) {
        super(message, null, false, false);
        this.code = code;
        this.param = param;
        this.headers = headers;
    }

    /** Tells the client a message fit for it. */
    public RefusedException(ErrorCode code, String message) {
        this(code, message, "");
    }

    /** Names the parameter at fault: {@code sdp}, {@code model}. */
    public RefusedException(ErrorCode code, String message, String param) {
        this(code, message, param, Map.of());
    }

    /** Of a request for what only a WebSocket can have. */
    public static RefusedException needsWebSocket() {
        return new RefusedException(
                        ErrorCode.UPGRADE_REQUIRED, "This is a WebSocket: open it with RFC 6455.")
                .with(HeaderNames.UPGRADE, "websocket")
                .with(HeaderNames.create("Sec-WebSocket-Version"), "13");
    }

    /** The same refusal with one more response header. */
    public RefusedException with(HeaderName name, String value) {
        Map<HeaderName, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new RefusedException(code, message(), param, more);
    }

    /** The same refusal under a more exact code. */
    public RefusedException as(ErrorCode exact) {
        return new RefusedException(exact, message(), param, headers);
    }

    /** What is counted and told. */
    public ErrorCode code() {
        return code;
    }

    String message() {
        return String.valueOf(getMessage());
    }

    Optional<String> param() {
        return param.isEmpty() ? Optional.empty() : Optional.of(param);
    }

    Map<HeaderName, String> headers() {
        return headers;
    }
}
