package dev.parley.signaling.ws;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.JoinEventsResponse;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.signaling.calls.CallDesk;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.pool.JoinedCall;
import io.grpc.Status;
import io.helidon.common.buffers.BufferData;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.websocket.WsCloseCodes;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A sideband's WebSocket: what is said in its call goes out as messages, its messages enter the
 * call. The connection's thread says, a thread of its own hears and pings; each waits for the other
 * end, so nothing piles up here.
 */
final class SidebandSocket implements WsListener {
    /** The longest message: what the longest of a data channel is. */
    static final int MAX_MESSAGE_BYTES = 262_144;

    private static final System.Logger LOGGER = System.getLogger(SidebandSocket.class.getName());

    private final JoinedCall call;
    private final boolean clientEvents;
    private final SocketCounters counters;
    private final Duration pingPeriod;
    private final StringBuilder partialText = new StringBuilder();
    private final ByteArrayOutputStream partialBytes = new ByteArrayOutputStream();

    /** Grows when a message begins to be sent and when it is: odd while one is. */
    private final AtomicLong sends = new AtomicLong();

    private @Nullable Thread hearing;
    private @Nullable Thread watching;

    /**
     * Takes over a call that was joined.
     *
     * @param clientEvents whether the backend wants to know what the client says, too
     */
    SidebandSocket(
            JoinedCall call, boolean clientEvents, SocketCounters counters, Duration pingPeriod) {
        this.call = call;
        this.clientEvents = clientEvents;
        this.counters = counters;
        this.pingPeriod = pingPeriod;
    }

    @Override
    public void onOpen(WsSession session) {
        Thread own = Thread.currentThread();
        hearing = Thread.ofVirtual().name("sideband-hear").start(() -> hear(session, own));
        watching = Thread.ofVirtual().name("sideband-watch").start(() -> watch(own));
    }

    /** Ends the connection of a backend that has read nothing for a while. */
    private void watch(Thread own) {
        try {
            long before = 0;
            for (long now = sends.get(); now != before || now % 2 == 0; now = sends.get()) {
                before = now;
                Thread.sleep(pingPeriod);
            }
            counters.ended(Violation.UNREAD);
            own.interrupt();
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    // --- what the backend says

    @Override
    public void onMessage(WsSession session, String text, boolean last) {
        partialText.append(text);
        requireShort(partialText.length());
        if (last) {
            String whole = partialText.toString();
            partialText.setLength(0);
            say(ClientEvent.newBuilder().setText(whole));
        }
    }

    @Override
    public void onMessage(WsSession session, BufferData bytes, boolean last) {
        partialBytes.writeBytes(bytes.readBytes());
        requireShort(partialBytes.size());
        if (last) {
            ByteString whole = ByteString.copyFrom(partialBytes.toByteArray());
            partialBytes.reset();
            say(ClientEvent.newBuilder().setBinary(whole));
        }
    }

    private static void requireShort(int length) {
        if (length > MAX_MESSAGE_BYTES) {
            throw Violation.TOO_LARGE.thrown();
        }
    }

    private void say(ClientEvent.Builder event) {
        try {
            // When it is over the other thread says so.
            var _ = call.say(event.build());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloseConnectionException("stopping", e);
        }
    }

    @Override
    public void onError(WsSession session, Throwable thrown) {
        if (!(thrown instanceof UncheckedIOException)) {
            LOGGER.log(Level.DEBUG, "a sideband failed", thrown);
        }
    }

    /** The connection is over. */
    void leave() {
        call.close();
        for (Thread own : Arrays.asList(hearing, watching)) {
            if (own != null) {
                own.interrupt();
            }
        }
    }

    // --- what it hears

    private void hear(WsSession session, Thread own) {
        try {
            boolean going = true;
            while (going) {
                going = hearUntil(session, System.nanoTime() + pingPeriod.toNanos());
                if (going) {
                    // Whatever there is to hear: who only listens shows by the answer that he does.
                    session.ping(BufferData.empty());
                }
            }
            // The backend answers our close with its own, or is made to.
            Thread.sleep(pingPeriod);
            own.interrupt();
        } catch (InterruptedException | UncheckedIOException _) {
            // Closed by the other side.
        } catch (RuntimeException e) {
            LOGGER.log(Level.DEBUG, "a sideband is no longer served", e);
            own.interrupt();
        } finally {
            call.close();
        }
    }

    /** Passes on what there is to hear until then; false when there will be no more. */
    private boolean hearUntil(WsSession session, long endNanos) throws InterruptedException {
        boolean going = true;
        long left = endNanos - System.nanoTime();
        while (going && left > 0) {
            going =
                    switch (call.hear(Duration.ofNanos(left))) {
                        case null -> true;
                        case JoinedCall.Heard.Message(JoinEventsResponse message) -> {
                            sends.incrementAndGet();
                            boolean more = pass(session, message);
                            sends.incrementAndGet();
                            yield more;
                        }
                        case JoinedCall.Heard.Over over -> lost(session, over);
                    };
            left = endNanos - System.nanoTime();
        }
        return going;
    }

    private boolean pass(WsSession session, JoinEventsResponse message) {
        switch (message.getMessageCase()) {
            case SERVER_EVENT -> pass(session, message.getServerEvent());
            case CLIENT_EVENT -> {
                if (clientEvents) {
                    session.send(wrapped(message.getClientEvent()), true);
                }
            }
            case ENDED -> {
                String reason = CallDesk.text(message.getEnded().getReason(), "END_REASON_");
                session.close(WsCloseCodes.NORMAL_CLOSE, "The call has ended: " + reason);
                return false;
            }
            case JOINED, MESSAGE_NOT_SET -> {
                // Said before, or by a newer transceiver.
            }
        }
        return true;
    }

    private static void pass(WsSession session, ServerEvent event) {
        if (event.hasBinary()) {
            session.send(BufferData.create(event.getBinary().toByteArray()), true);
        } else {
            session.send(event.getText(), true);
        }
    }

    /** A type of its own, so that nobody takes it for what the client is told. */
    private static String wrapped(ClientEvent event) {
        var wrapped =
                Json.object().put("type", "parley.client_event").put("channel", event.getChannel());
        if (event.hasBinary()) {
            byte[] bytes = event.getBinary().toByteArray();
            wrapped.put("base64", Base64.getEncoder().encodeToString(bytes));
        } else {
            wrapped.put("text", event.getText());
        }
        return wrapped.toString();
    }

    private boolean lost(WsSession session, JoinedCall.Heard.Over over) {
        boolean slow = over.why().getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED;
        if (slow) {
            counters.ended(Violation.UNREAD);
            session.close(Violation.UNREAD.closeCode(), Violation.UNREAD.text());
        } else {
            session.close(WsCloseCodes.UNEXPECTED_CONDITION, "The call's server is gone.");
        }
        return false;
    }
}
