package dev.parley.signaling.ws;

import dev.parley.signaling.limits.TokenBuckets;
import io.helidon.common.buffers.BufferData;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.util.function.LongSupplier;

/**
 * Stands in front of a WebSocket's listener: answers pings, which the web server does not, and ends
 * clients who send more frames than anybody needs that are no message. The connection's thread
 * alone calls it.
 */
final class FrameGuard implements WsListener {
    // RFC 6455 5.5: all control frames have at most so much payload, and come whole.
    private static final int MAX_CONTROL_BYTES = 125;

    /** Whoever sends smaller fragments means something else than a message. */
    private static final int SMALL_FRAGMENT = 1_024;

    private static final int FRAMES_PER_MINUTE = 3_000;
    static final int FRAME_BURST = 500;

    private final WsListener listener;
    private final TokenBuckets<String> frames;

    /**
     * @param nanoTime a monotonic clock
     */
    FrameGuard(WsListener listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.frames = new TokenBuckets<>(nanoTime);
    }

    @Override
    public void onOpen(WsSession session) {
        listener.onOpen(session);
    }

    @Override
    public void onMessage(WsSession session, String text, boolean last) {
        requireNoCrumb(text.length(), last);
        listener.onMessage(session, text, last);
    }

    @Override
    public void onMessage(WsSession session, BufferData bytes, boolean last) {
        requireNoCrumb(bytes.available(), last);
        listener.onMessage(session, bytes, last);
    }

    @Override
    public void onPing(WsSession session, BufferData payload) {
        requireControl(payload);
        // RFC 6455 5.5.3: with the payload of the ping.
        session.pong(payload);
    }

    @Override
    public void onPong(WsSession session, BufferData payload) {
        requireControl(payload);
    }

    @Override
    public void onClose(WsSession session, int status, String reason) {
        listener.onClose(session, status, reason);
    }

    @Override
    public void onError(WsSession session, Throwable thrown) {
        listener.onError(session, thrown);
    }

    private void requireNoCrumb(int length, boolean last) {
        if (!last && length < SMALL_FRAGMENT) {
            requireFew();
        }
    }

    private void requireControl(BufferData payload) {
        if (payload.available() > MAX_CONTROL_BYTES) {
            throw Violation.PROTOCOL_ERROR.thrown();
        }
        requireFew();
    }

    private void requireFew() {
        if (frames.acquire("", FRAMES_PER_MINUTE, FRAME_BURST) > 0) {
            throw Violation.TOO_MANY_FRAMES.thrown();
        }
    }
}
