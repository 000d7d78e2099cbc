package dev.parley.transceiver.realtime;

import java.util.Locale;

/** What a client is told that it did wrong, or what went wrong elsewhere. */
enum ErrorCode {
    /** No JSON object. */
    INVALID_JSON,
    /** More characters than are read. */
    EVENT_TOO_LARGE,
    /** A type that no client event has. */
    UNKNOWN_EVENT,
    /** A type that is known and not done here. */
    UNSUPPORTED,
    MISSING_REQUIRED_PARAMETER,
    /** Something of another JSON type. */
    INVALID_TYPE,
    /** The right type with an impossible value. */
    INVALID_VALUE,
    ITEM_NOT_FOUND,
    ITEM_ALREADY_EXISTS,
    CONVERSATION_ALREADY_HAS_ACTIVE_RESPONSE,
    RESPONSE_CANCEL_NOT_ACTIVE,
    INPUT_AUDIO_BUFFER_COMMIT_EMPTY,
    /** Inference has named something at too great a length; nobody is told. */
    NAME_TOO_LONG,
    /** Inference has said that something went wrong. */
    SERVER_ERROR;

    /** As clients read it. */
    String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
