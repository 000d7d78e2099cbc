package dev.parley.signaling.ws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.calls.Access;
import dev.parley.signaling.calls.CallDesk;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.http.Replies;
import dev.parley.signaling.limits.TokenBuckets;
import dev.parley.signaling.pool.CallId;
import io.helidon.common.buffers.BufferData;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One client's WebSocket, with at most one call at a time. The connection's thread handles the
 * client's messages in turn; a thread of its own looks how the call is, tells changes, and pings.
 * The call does not depend on the socket: it goes on when that breaks, and can be attached again.
 */
final class CallSocket implements WsListener {
    private static final System.Logger LOGGER = System.getLogger(CallSocket.class.getName());
    private static final Duration LOOK_PERIOD = Duration.ofSeconds(1);
    private static final int MESSAGES_PER_MINUTE = 600;
    private static final int MESSAGE_BURST = 100;

    /** What a socket needs of its surroundings. */
    interface Starting {
        /**
         * Counts a call against the limit of the address that it comes from.
         *
         * @throws RefusedException when there were too many, or the caller may start none
         */
        void count();
    }

    private final CallDesk desk;
    private final Access access;
    private final Caller caller;
    private final CallDesk.Origin origin;
    private final Starting starting;
    private final SocketLimits limits;
    private final TokenBuckets<String> messages = new TokenBuckets<>(System::nanoTime);
    private final StringBuilder partial = new StringBuilder();
    private final Thread watch;

    private @Nullable WsSession session;
    private @Nullable CallId call;
    private SessionState told = SessionState.SESSION_STATE_UNSPECIFIED;
    private long seenNanos;

    CallSocket(
            CallDesk desk,
            Access access,
            Caller caller,
            CallDesk.Origin origin,
            Starting starting,
            SocketLimits limits) {
        this.desk = desk;
        this.access = access;
        this.caller = caller;
        this.origin = origin;
        this.starting = starting;
        this.limits = limits;
        this.watch = Thread.ofVirtual().name("call-socket-watch").unstarted(this::watch);
    }

    @Override
    public void onOpen(WsSession opened) {
        synchronized (this) {
            session = opened;
        }
        watch.start();
    }

    @Override
    public void onMessage(WsSession from, String text, boolean last) {
        partial.append(text);
        if (partial.length() > limits.maxMessageBytes()) {
            throw Violation.TOO_LARGE.thrown();
        }
        if (!last) {
            return;
        }
        String whole = partial.toString();
        partial.setLength(0);
        if (messages.acquire("", MESSAGES_PER_MINUTE, MESSAGE_BURST) > 0) {
            throw Violation.TOO_MANY_MESSAGES.thrown();
        }
        handle(whole);
    }

    @Override
    public void onMessage(WsSession from, BufferData bytes, boolean last) {
        throw Violation.BINARY.thrown();
    }

    @Override
    public void onError(WsSession failed, Throwable thrown) {
        if (!(thrown instanceof UncheckedIOException)) {
            LOGGER.log(Level.DEBUG, "a WebSocket failed", thrown);
        }
    }

    /** The connection is over. */
    void leave() {
        watch.interrupt();
    }

    private synchronized void handle(String text) {
        String id = "";
        try {
            ObjectNode message = ClientMessage.read(text);
            id = message.path("id").asText("");
            answer(id, ClientMessage.of(message));
        } catch (RefusedException refusal) {
            ObjectNode error = Replies.error(refusal).put("type", "error");
            send(id, error);
        }
    }

    private void answer(String id, ClientMessage message) {
        switch (message) {
            case ClientMessage.Start start -> start(id, start);
            case ClientMessage.Attach(String token) -> attach(id, token);
            case ClientMessage.Trickle(String fragment) ->
                    change(id, UpdateSessionRequest.newBuilder().setIceFragment(fragment));
            case ClientMessage.Restart(String sdp) ->
                    change(id, UpdateSessionRequest.newBuilder().setOfferSdp(sdp));
            case ClientMessage.RestartFragment(String fragment) ->
                    change(
                            id,
                            UpdateSessionRequest.newBuilder()
                                    .setIceFragment(fragment)
                                    .setIceRestart(true));
            case ClientMessage.HangUp _ -> {
                desk.end(active());
                over(id, "client_hangup", "");
            }
        }
    }

    private void start(String id, ClientMessage.Start start) {
        requireNone();
        starting.count();
        var offer = start.offer().startingFrom(caller);
        String model = desk.model(caller, start.models(), offer);
        CallDesk.Started started =
                access.counted(caller, () -> desk.start(caller, origin, model, offer));
        call = started.id();
        seenNanos = System.nanoTime();
        told = SessionState.SESSION_STATE_NEW;
        send(
                id,
                Json.object()
                        .put("type", "answer")
                        .put("call", started.token())
                        .put("sdp", started.answerSdp()));
    }

    private void attach(String id, String token) {
        requireNone();
        CallId found = desk.find(caller, token);
        DescribeSessionResponse state = desk.describe(found);
        call = found;
        seenNanos = System.nanoTime();
        tell(id, state);
    }

    private void change(String id, UpdateSessionRequest.Builder change) {
        UpdateSessionResponse changed = desk.change(active(), origin.where(), change);
        ObjectNode answer =
                Json.object()
                        .put("type", "answer")
                        .put("ice_generation", changed.getIceGeneration());
        switch (changed.getAnswerCase()) {
            case ANSWER_SDP -> send(id, answer.put("sdp", changed.getAnswerSdp()));
            case ICE_FRAGMENT -> send(id, answer.put("fragment", changed.getIceFragment()));
            case ANSWER_NOT_SET -> {
                // Trickle is only answered to those who ask with an id.
                if (!id.isEmpty()) {
                    send(id, answer);
                }
            }
        }
    }

    private CallId active() {
        CallId active = call;
        if (active == null) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "There is no call on this connection.");
        }
        return active;
    }

    private void requireNone() {
        if (call != null) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "There is a call on this connection already.");
        }
    }

    private void watch() {
        try {
            Duration pingPeriod = limits.pingPeriod();
            Duration period = pingPeriod.compareTo(LOOK_PERIOD) < 0 ? pingPeriod : LOOK_PERIOD;
            long looksPerPing = pingPeriod.dividedBy(period);
            for (long looks = 1; ; looks++) {
                Thread.sleep(period);
                look();
                if (looks % looksPerPing == 0) {
                    ping();
                }
            }
        } catch (InterruptedException | UncheckedIOException _) {
            // Closed.
        } catch (RuntimeException e) {
            LOGGER.log(Level.DEBUG, "a WebSocket's call is no longer looked at", e);
        }
    }

    private synchronized void look() {
        CallId active = call;
        if (active == null) {
            return;
        }
        try {
            tell("", desk.describe(active));
            seenNanos = System.nanoTime();
        } catch (RefusedException refusal) {
            if (refusal.code() == ErrorCode.CALL_NOT_FOUND) {
                over("", "unknown", "");
            } else if (System.nanoTime() - seenNanos >= limits.unreachableAfter().toNanos()) {
                // Or its client would hold on to a connection that nobody may be at the end of.
                over("", "unreachable", "the call's server does not answer");
            }
            // Otherwise its transceiver does not answer now; the call may be well.
        }
    }

    private synchronized void ping() {
        WsSession open = session;
        if (open != null) {
            open.ping(BufferData.empty());
        }
    }

    private void tell(String id, DescribeSessionResponse described) {
        if (described.getState() == SessionState.SESSION_STATE_ENDED) {
            over(
                    id,
                    CallDesk.text(described.getEndReason(), "END_REASON_"),
                    described.getEndMessage());
        } else if (described.getState() != told || !id.isEmpty()) {
            told = described.getState();
            send(
                    id,
                    Json.object()
                            .put("type", "state")
                            .put("state", CallDesk.text(told, "SESSION_STATE_")));
        }
    }

    private void over(String id, String reason, String message) {
        call = null;
        told = SessionState.SESSION_STATE_UNSPECIFIED;
        ObjectNode ended = Json.object().put("type", "ended").put("reason", reason);
        send(id, message.isEmpty() ? ended : ended.put("message", message));
    }

    private void send(String id, ObjectNode message) {
        WsSession open = session;
        if (open != null) {
            open.send((id.isEmpty() ? message : message.put("id", id)).toString(), true);
        }
    }
}
