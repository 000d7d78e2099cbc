package dev.parley.signaling;

import java.net.InetSocketAddress;
import java.util.HexFormat;

/**
 * Which call, on which transceiver. Sealed into a token by {@link CallIdSealer} it is all that any
 * signaling instance needs to act on the call, so none keeps a table of calls.
 *
 * @param sessionId 16 bytes in hex, which is also the trace id of the call
 * @param control literal address of the control server that owns the session
 */
record CallId(String sessionId, InetSocketAddress control) {
    static final int SESSION_ID_BYTES = 16;

    CallId {
        if (sessionId.length() != 2 * SESSION_ID_BYTES || control.isUnresolved()) {
            throw new IllegalArgumentException("not a session on a resolved address");
        }
    }

    static CallId of(byte[] sessionId, InetSocketAddress control) {
        return new CallId(HexFormat.of().formatHex(sessionId), control);
    }

    byte[] sessionIdBytes() {
        return HexFormat.of().parseHex(sessionId);
    }
}
