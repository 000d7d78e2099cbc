package dev.parley.signaling;

import java.util.Locale;

/** Every way in which a request can be refused: the closed set that is counted and documented. */
enum ErrorCode {
    /** The offer cannot be negotiated; the message says which line and why. */
    INVALID_OFFER(400, Type.INVALID_REQUEST),
    /** The request around the offer is malformed: JSON, multipart, charset, HTTP itself. */
    INVALID_REQUEST(400, Type.INVALID_REQUEST),
    /** A credential is needed, and none that is valid was shown. */
    UNAUTHORIZED(401, Type.AUTHENTICATION),
    /** The credential is valid and does not allow this. */
    FORBIDDEN(403, Type.PERMISSION),
    /** No such path. */
    NOT_FOUND(404, Type.INVALID_REQUEST),
    /** No inference service has such a model. */
    MODEL_NOT_FOUND(404, Type.INVALID_REQUEST),
    /** The call id cannot be read, or its call is over. */
    CALL_NOT_FOUND(404, Type.INVALID_REQUEST),
    /** The path exists but not with this method; {@code Allow} lists those that it has. */
    METHOD_NOT_ALLOWED(405, Type.INVALID_REQUEST),
    /** The body did not arrive in time. */
    REQUEST_TIMEOUT(408, Type.INVALID_REQUEST),
    /** {@code If-Match} names another ICE session than the call is in. */
    PRECONDITION_FAILED(412, Type.INVALID_REQUEST),
    /** The body is larger than the limit. */
    REQUEST_TOO_LARGE(413, Type.INVALID_REQUEST),
    /** The body's content type is missing or not among those accepted. */
    UNSUPPORTED_MEDIA_TYPE(415, Type.INVALID_REQUEST),
    /** This client started too many calls; {@code Retry-After} says when it may again. */
    RATE_LIMIT_EXCEEDED(429, Type.RATE_LIMIT),
    /** A bug, here or in a transceiver. */
    INTERNAL_ERROR(500, Type.SERVER),
    /** Every transceiver asked, or the inference service behind it, is full. */
    CAPACITY_EXCEEDED(503, Type.SERVER),
    /** No transceiver could be reached, or all that could are draining. */
    SERVICE_UNAVAILABLE(503, Type.SERVER),
    /** A transceiver was reached but did not answer in time. */
    UPSTREAM_TIMEOUT(503, Type.SERVER);

    private final int status;
    private final Type type;

    ErrorCode(int status, Type type) {
        this.status = status;
        this.type = type;
    }

    int status() {
        return status;
    }

    /** The {@code error.type} of the JSON body. */
    String type() {
        return type.text;
    }

    /** The {@code error.code} of the JSON body and the label of its counter. */
    String text() {
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
