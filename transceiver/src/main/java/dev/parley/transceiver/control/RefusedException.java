package dev.parley.transceiver.control;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/** A request that cannot be granted, with what the HTTP client is to be told. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final Metadata.Key<String> PARAM =
            Metadata.Key.of("parley-error-param", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> CODE =
            Metadata.Key.of("parley-error-code", Metadata.ASCII_STRING_MARSHALLER);

    private final Status.Code status;
    private final String code;
    private final @Nullable String param;

    /**
     * @param code lower_snake_case
     * @param param the field at fault, or null
     * @param message for the HTTP client
     */
    RefusedException(Status.Code status, String code, @Nullable String param, String message) {
        super(message);
        this.status = status;
        this.code = code;
        this.param = param;
    }

    String code() {
        return code;
    }

    /** The form it takes on the wire. */
    StatusRuntimeException toStatus() {
        Metadata trailers = new Metadata();
        trailers.put(CODE, code);
        if (param != null) {
            trailers.put(PARAM, param);
        }
        return status.toStatus().withDescription(getMessage()).asRuntimeException(trailers);
    }
}
