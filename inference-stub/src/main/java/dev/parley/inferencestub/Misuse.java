package dev.parley.inferencestub;

import io.grpc.Status.Code;
import java.util.Locale;

/**
 * What a client of the stream can do wrong, and the status it is told. Each kind has a counter of
 * its own; the last two are counted only and end nothing.
 */
enum Misuse {
    TOO_MANY_SESSIONS(Code.RESOURCE_EXHAUSTED),
    NO_SESSION_START(Code.DEADLINE_EXCEEDED),
    WRONG_FIRST_MESSAGE(Code.INVALID_ARGUMENT),
    SECOND_SESSION_START(Code.INVALID_ARGUMENT),
    BAD_SESSION_ID(Code.INVALID_ARGUMENT),
    BAD_SESSION_JSON(Code.INVALID_ARGUMENT),
    BAD_SCRIPT(Code.INVALID_ARGUMENT),
    UNKNOWN_MODEL(Code.NOT_FOUND),
    /** The model needs a program that is not installed. */
    MODEL_NOT_INSTALLED(Code.NOT_FOUND),
    UNSUPPORTED_FORMAT(Code.INVALID_ARGUMENT),
    BAD_AUDIO(Code.INVALID_ARGUMENT),
    OUT_OF_ORDER_AUDIO(Code.INVALID_ARGUMENT),
    /** An empty envelope, or a kind newer than this code: the contract says to ignore it. */
    UNKNOWN_MESSAGE(Code.OK),
    /** A half-close without a session_end before it: the call is over all the same. */
    NO_SESSION_END(Code.OK);

    private final Code code;

    Misuse(Code code) {
        this.code = code;
    }

    Refusal refusal(String message) {
        return new Refusal(this, code.toStatus().withDescription(message));
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
