package dev.parley.transceiver.inference;

import io.grpc.Status;

/** What the status of a stream means for its call; {@code voice_agent.proto} says the same. */
public final class StreamStatus {
    private StreamStatus() {}

    /** Whether the status says that the call itself is at fault. */
    static boolean isVerdict(Status status) {
        return switch (status.getCode()) {
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    PERMISSION_DENIED,
                    UNAUTHENTICATED,
                    FAILED_PRECONDITION,
                    OUT_OF_RANGE,
                    UNIMPLEMENTED,
                    DATA_LOSS ->
                    true;
            case OK,
                    CANCELLED,
                    UNKNOWN,
                    DEADLINE_EXCEEDED,
                    RESOURCE_EXHAUSTED,
                    ABORTED,
                    INTERNAL,
                    UNAVAILABLE ->
                    false;
        };
    }

    /** Whether a call whose accepted stream ended so may go on with another one. */
    static boolean isBreak(Status status) {
        return !status.isOk()
                && !isVerdict(status)
                && status.getCode() != Status.Code.RESOURCE_EXHAUSTED;
    }

    /** Whether another replica may accept a new call that this one refused so. */
    static boolean mayBeElsewhere(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                || status.getCode() == Status.Code.RESOURCE_EXHAUSTED;
    }

    /** Its code, and its text if it has one. */
    public static String describe(Status status) {
        String text = status.getDescription();
        return text == null ? status.getCode().name() : status.getCode() + ": " + text;
    }
}
