package dev.parley.signaling.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Every way in which a request can be refused: the closed set that is counted and documented. */
public enum ErrorCode {
    /** The offer cannot be negotiated; the message says which line and why. */
    INVALID_OFFER(400, Type.INVALID_REQUEST),
    /** The request around the offer is malformed: JSON, multipart, charset, HTTP itself. */
    INVALID_REQUEST(400, Type.INVALID_REQUEST),
    /** The inference service does not accept the session object. */
    INVALID_SESSION(400, Type.INVALID_REQUEST),
    /** A later offer changes more than the transport. */
    UNSUPPORTED_RENEGOTIATION(400, Type.INVALID_REQUEST),
    /** A credential is needed, and none that is valid was shown. */
    UNAUTHORIZED(401, Type.AUTHENTICATION),
    /** The credential is valid and does not allow this. */
    FORBIDDEN(403, Type.PERMISSION),
    /** No such path. */
    NOT_FOUND(404, Type.INVALID_REQUEST),
    /** No inference service has such a model. */
    MODEL_NOT_FOUND(404, Type.INVALID_REQUEST),
    /** The call id cannot be read, its call is over, or it is another caller's. */
    CALL_NOT_FOUND(404, Type.INVALID_REQUEST),
    /** The same, where a sideband is to join the call. */
    CALL_ID_NOT_FOUND(404, Type.INVALID_REQUEST),
    /** The path exists but not with this method; {@code Allow} lists those that it has. */
    METHOD_NOT_ALLOWED(405, Type.INVALID_REQUEST),
    /** The body did not arrive in time. */
    REQUEST_TIMEOUT(408, Type.INVALID_REQUEST),
    /** {@code If-Match} is no entity tag of this call. */
    PRECONDITION_FAILED(412, Type.INVALID_REQUEST),
    /** {@code If-Match} names another ICE session than the call is in. */
    ICE_SESSION_CHANGED(412, Type.INVALID_REQUEST),
    /** The body is larger than the limit. */
    REQUEST_TOO_LARGE(413, Type.INVALID_REQUEST),
    /** The body's content type is missing or not among those accepted. */
    UNSUPPORTED_MEDIA_TYPE(415, Type.INVALID_REQUEST),
    /** This path is a WebSocket. */
    UPGRADE_REQUIRED(426, Type.INVALID_REQUEST),
    /** {@code If-Match} is missing where it is insisted on. */
    PRECONDITION_REQUIRED(428, Type.INVALID_REQUEST),
    /** This client asks too often; {@code Retry-After} says when it may again. */
    RATE_LIMIT_EXCEEDED(429, Type.RATE_LIMIT),
    /** A bug, here or in a transceiver. */
    INTERNAL_ERROR(500, Type.SERVER),
    /** Every transceiver asked is full. */
    CAPACITY_EXCEEDED(503, Type.SERVER),
    /** The call has all the sidebands that it can have. */
    SIDEBAND_LIMIT(503, Type.SERVER),
    /** The inference service is full. */
    MODEL_OVERLOADED(503, Type.SERVER),
    /** No transceiver could be reached. */
    SERVICE_UNAVAILABLE(503, Type.SERVER),
    /** All transceivers that could be reached are draining. */
    DRAINING(503, Type.SERVER),
    /** The transceiver is stopping. */
    SHUTTING_DOWN(503, Type.SERVER),
    /** The transceiver has no time for new calls. */
    OVERLOADED(503, Type.SERVER),
    /** The inference service could not be reached. */
    INFERENCE_UNAVAILABLE(503, Type.SERVER),
    /** The inference service did not accept the call in time. */
    INFERENCE_TIMEOUT(503, Type.SERVER),
    /** The inference service chose a format that it was not offered. */
    INFERENCE_BAD_FORMAT(503, Type.SERVER),
    /** A transceiver was reached but did not answer in time. */
    UPSTREAM_TIMEOUT(503, Type.SERVER),
    /** HTTP/1.0, as proxies speak that nobody told otherwise. */
    HTTP_VERSION_NOT_SUPPORTED(505, Type.INVALID_REQUEST);

    private static final Map<String, ErrorCode> BY_TEXT =
            Arrays.stream(values()).collect(Collectors.toMap(ErrorCode::text, Function.identity()));

    private final int status;
    private final Type type;

    ErrorCode(int status, Type type) {
        this.status = status;
        this.type = type;
    }

    /** The code with this text, if there is one. */
    public static Optional<ErrorCode> named(String text) {
        return Optional.ofNullable(BY_TEXT.get(text));
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The {@code error.type} of the JSON body. */
    String type() {
        return type.text;
    }

    /** The {@code error.code} of the JSON body and the label of its counter. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    private enum Type {
        INVALID_REQUEST("invalid_request_error"),
        AUTHENTICATION("authentication_error"),
        PERMISSION("permission_error"),
        RATE_LIMIT("rate_limit_error"),
        SERVER("server_error");

        private final String text;

        Type(String text) {
            this.text = text;
        }
    }
}
