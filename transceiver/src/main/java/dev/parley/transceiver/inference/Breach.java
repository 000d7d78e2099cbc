package dev.parley.transceiver.inference;

import java.util.Locale;

/**
 * What a backend can do wrong without ending its call: the message is dropped, and the backend is
 * told of it. {@code docs/inference.md} lists them.
 */
enum Breach {
    EMPTY_AUDIO,
    NOT_OPUS,
    NAME_TOO_LONG,
    TOKEN_TOO_LONG,
    MESSAGE_TOO_LONG,
    SECOND_SESSION_READY,
    AFTER_SESSION_END;

    /** As MessageRejected.code. */
    String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
