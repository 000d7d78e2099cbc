package dev.parley.transceiver.realtime;

import org.jspecify.annotations.Nullable;

/** Why an event of a client is not carried out; becomes the {@code error} that answers it. */
final class EventRefusal extends Exception {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final @Nullable String param;

    /**
     * @param message names what is wrong, for a person
     * @param param path of the field that is wrong, null when it is not one
     */
    EventRefusal(ErrorCode code, String message, @Nullable String param) {
        super(message, null, false, false);
        this.code = code;
        this.param = param;
    }

    ErrorCode code() {
        return code;
    }

    @Nullable String param() {
        return param;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
