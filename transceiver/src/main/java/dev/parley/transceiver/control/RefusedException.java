package dev.parley.transceiver.control;

import dev.parley.proto.control.ErrorTrailers;
import dev.parley.rtc.sdp.SdpException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/** A request that cannot be granted, with what the HTTP client is to be told. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

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

    /** Of an offer or a fragment that cannot be used. */
    static RefusedException badSdp(SdpException e) {
        return new RefusedException(
                Status.Code.INVALID_ARGUMENT,
                "invalid_offer",
                "sdp",
                String.valueOf(e.getMessage()));
    }

    /** Of a call that does not exist, or is over. */
    static RefusedException noSuchSession() {
        return new RefusedException(
                Status.Code.NOT_FOUND, "session_not_found", "session_id", "no such session");
    }

    /** Of a process that does not come to it. */
    static RefusedException overloaded() {
        return unavailable(ErrorTrailers.OVERLOADED, "the transceiver is overloaded");
    }

    static RefusedException unavailable(String code, String message) {
        return new RefusedException(Status.Code.UNAVAILABLE, code, null, message);
    }

    String code() {
        return code;
    }

    /** The form it takes on the wire. */
    StatusRuntimeException toStatus() {
        Metadata trailers = new Metadata();
        trailers.put(ErrorTrailers.CODE, code);
        if (param != null) {
            trailers.put(ErrorTrailers.PARAM, param);
        }
        return status.toStatus().withDescription(getMessage()).asRuntimeException(trailers);
    }
}
