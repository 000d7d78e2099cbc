package dev.parley.signaling.net;

import io.helidon.websocket.WsCloseCodes;
import io.helidon.websocket.WsCloseException;

/**
 * How much of a WebSocket's frame is there, and in how many pieces: each costs the web server's
 * reader dozens of bytes, however few it holds. Owned by one connection's thread.
 */
final class FramePieces {
    /** Four times what a frame of the largest kind comes in where packets are small. */
    static final int MAX_PIECES = 2_048;

    // RFC 6455 5.2: two bytes, eight of an extended length, four of a masking key.
    private static final int MAX_HEADER_BYTES = 14;

    private final int maxFrameBytes;
    private int before;
    private int pieces;

    FramePieces(int maxFrameBytes) {
        this.maxFrameBytes = maxFrameBytes;
    }

    /**
     * More is waited for.
     *
     * @param bytes that are there of a frame, which is taken when all of it is
     * @throws WsCloseException when these are too many, or came in too many pieces
     */
    void waiting(int bytes) {
        pieces = bytes > before ? pieces + 1 : 0;
        before = bytes;
        if (bytes > maxFrameBytes + MAX_HEADER_BYTES) {
            throw new WsCloseException("The message is too large.", WsCloseCodes.TOO_BIG);
        }
        if (pieces > MAX_PIECES) {
            throw new WsCloseException(
                    "The message comes in too small pieces.", WsCloseCodes.VIOLATED_POLICY);
        }
    }
}
