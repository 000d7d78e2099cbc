package dev.parley.signaling.ws;

import io.helidon.webserver.CloseConnectionException;
import io.helidon.websocket.WsCloseCodes;
import io.helidon.websocket.WsCloseException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What clients do that ends their WebSocket: the closed set that is counted. */
enum Violation {
    /** A frame that no client may send, RFC 6455 5. */
    PROTOCOL_ERROR(WsCloseCodes.PROTOCOL_ERROR, "This is no frame of a client's."),
    /** A frame or a message beyond the limit. */
    TOO_LARGE(WsCloseCodes.TOO_BIG, "The message is too large."),
    /** A binary message where all are text. */
    BINARY(WsCloseCodes.CANNOT_ACCEPT, "Messages are text."),
    /** Messages faster than anybody makes them. */
    TOO_MANY_MESSAGES(WsCloseCodes.VIOLATED_POLICY, "Too many messages."),
    /** Pings, pongs and small fragments without end, or a frame in too small pieces. */
    TOO_MANY_FRAMES(WsCloseCodes.VIOLATED_POLICY, "Too many frames that are no messages."),
    /** A sideband takes its call's events too slowly. */
    UNREAD(WsCloseCodes.VIOLATED_POLICY, "Too many events were left unread.");

    private final int closeCode;
    private final String text;

    Violation(int closeCode, String text) {
        this.closeCode = closeCode;
        this.text = text;
    }

    /** How the client is told, RFC 6455 7.4. */
    int closeCode() {
        return closeCode;
    }

    String text() {
        return text;
    }

    /** The label of its counter. */
    String reason() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Ends the connection on whose thread it is thrown. */
    CloseConnectionException thrown() {
        return new Ending(this);
    }

    /** What of it ended a connection; null when that broke, or was closed as it should be. */
    static @Nullable Violation find(RuntimeException end) {
        return switch (end) {
            case Ending own -> own.violation;
            case CloseConnectionException closed
                    when closed.getCause() instanceof WsCloseException refused ->
                    switch (refused.closeCode()) {
                        case WsCloseCodes.TOO_BIG -> TOO_LARGE;
                        case WsCloseCodes.VIOLATED_POLICY -> TOO_MANY_FRAMES;
                        default -> PROTOCOL_ERROR;
                    };
            // A fragment of no message is all that the web server ends without a cause,
            case CloseConnectionException closed when closed.getCause() == null -> PROTOCOL_ERROR;
            // and opcodes that RFC 6455 5.2 reserves are all that it takes for a fault of its own.
            case IllegalArgumentException _ -> PROTOCOL_ERROR;
            default -> null;
        };
    }

    private static final class Ending extends CloseConnectionException {
        private static final long serialVersionUID = 1L;

        private final Violation violation;

        Ending(Violation violation) {
            super(violation.text);
            this.violation = violation;
        }
    }
}
