package dev.parley.signaling.pool;

import dev.parley.proto.control.ErrorTrailers;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a transceiver's gRPC status means to the HTTP client.
 *
 * <p>A full transceiver is a 503, not a 429: the client did nothing too often, and every HTTP
 * client knows to come back after {@code Retry-After}. 429 is kept for limits per client.
 *
 * <p>Texts of the statuses that a transceiver words for clients are passed on. Those that gRPC
 * itself makes up (refused connections, deadlines) name internal addresses and are replaced.
 */
final class ControlErrors {
    private static final Pattern TOKEN = Pattern.compile("[a-z0-9_.]{1,64}");
    private static final int MAX_MESSAGE_CHARS = 500;

    private ControlErrors() {}

    /** Whether another transceiver might do better. */
    static boolean isWorthRetrying(StatusRuntimeException error) {
        return switch (error.getStatus().getCode()) {
            case UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED -> true;
            default -> false;
        };
    }

    /** Whether the transceiver takes no new calls until it says otherwise. */
    static boolean isDraining(StatusRuntimeException error) {
        return token(error.getTrailers(), ErrorTrailers.CODE).equals(ErrorTrailers.DRAINING);
    }

    /** Why the transceiver has no room for a moment, if that is what it says. */
    static Optional<ErrorCode> findRest(StatusRuntimeException error) {
        return switch (token(error.getTrailers(), ErrorTrailers.CODE)) {
            case ErrorTrailers.OVERLOADED -> Optional.of(ErrorCode.OVERLOADED);
            case ErrorTrailers.SESSION_LIMIT -> Optional.of(ErrorCode.CAPACITY_EXCEEDED);
            default -> Optional.empty();
        };
    }

    /** Whether our own thread was interrupted while it waited. */
    static boolean isInterruption(StatusRuntimeException error) {
        return error.getStatus().getCause() instanceof InterruptedException;
    }

    /** Whether a refusal is a bug or a mismatch of versions, that someone should look at. */
    static boolean isUnexpected(StatusRuntimeException error) {
        return switch (error.getStatus().getCode()) {
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    FAILED_PRECONDITION,
                    RESOURCE_EXHAUSTED,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED ->
                    false;
            default -> true;
        };
    }

    /**
     * @param notFound what NOT_FOUND means for the call that was made
     */
    static RefusedException toRefusal(StatusRuntimeException error, ErrorCode notFound) {
        Metadata trailers = error.getTrailers();
        String param = token(trailers, ErrorTrailers.PARAM);
        RefusedException refusal =
                switch (error.getStatus().getCode()) {
                    case INVALID_ARGUMENT ->
                            new RefusedException(
                                    "sdp".equals(param) || param.isEmpty()
                                            ? ErrorCode.INVALID_OFFER
                                            : ErrorCode.INVALID_REQUEST,
                                    text(error.getStatus(), "The offer cannot be negotiated."),
                                    param.isEmpty() ? "sdp" : param);
                    case FAILED_PRECONDITION ->
                            new RefusedException(
                                    ErrorCode.PRECONDITION_FAILED,
                                    text(error.getStatus(), "The call has gone on since."));
                    case NOT_FOUND -> notFound(error.getStatus(), notFound, param);
                    case RESOURCE_EXHAUSTED ->
                            new RefusedException(
                                    ErrorCode.CAPACITY_EXCEEDED,
                                    "All voice servers are full. Try again shortly.");
                    case UNAVAILABLE ->
                            new RefusedException(
                                    ErrorCode.SERVICE_UNAVAILABLE,
                                    "No voice server is available. Try again shortly.");
                    case DEADLINE_EXCEEDED ->
                            new RefusedException(
                                    ErrorCode.UPSTREAM_TIMEOUT,
                                    "The voice server did not answer in time. Try again shortly.");
                    default ->
                            new RefusedException(
                                    ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
                };
        return ErrorCode.named(token(trailers, ErrorTrailers.CODE))
                // What a newer transceiver calls it may be unknown here, or mean something else.
                .filter(exact -> exact.status() == refusal.code().status())
                .map(refusal::as)
                .orElse(refusal);
    }

    private static RefusedException notFound(Status status, ErrorCode code, String param) {
        return switch (code) {
            case MODEL_NOT_FOUND ->
                    new RefusedException(
                            code,
                            text(status, "There is no such model."),
                            param.isEmpty() ? "model" : param);
            default -> new RefusedException(code, "There is no such call, or it is over.");
        };
    }

    private static String text(Status status, String orElse) {
        String description = status.getDescription();
        if (description == null || description.isBlank()) {
            return orElse;
        }
        return description.length() <= MAX_MESSAGE_CHARS
                ? description
                : description.substring(0, MAX_MESSAGE_CHARS) + "...";
    }

    private static String token(@Nullable Metadata trailers, Metadata.Key<String> key) {
        String value = trailers == null ? null : trailers.get(key);
        return value != null && TOKEN.matcher(value).matches() ? value : "";
    }
}
