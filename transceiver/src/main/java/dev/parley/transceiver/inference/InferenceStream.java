package dev.parley.transceiver.inference;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.CallTrace;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One Converse stream. From its SessionReady on it takes what waits in the call's {@link
 * UplinkQueue}, as fast as the backend reads; reading is granted message by message. Nothing here
 * blocks. Owned by the {@link InferenceLink}; any thread may enter.
 *
 * <p>Whoever adds an event to the queue also drains it, one thread at a time. Audio is drained on
 * the transport's own thread, together with that of other calls: see {@link StreamThread}.
 */
final class InferenceStream {
    /** Hears what comes from inference, on a transport thread that must not be blocked. */
    interface Listener {
        /**
         * The backend accepted the call; the first to be called, once. Nothing is sent before this
         * returns, and what the backend says next comes only after {@link #requestNext}.
         */
        void onReady(SessionReady ready);

        /** Any later message; the next one comes only after {@link #requestNext}. */
        void onMessage(ConverseResponse message);

        /** The first message is another one, which is dropped; nothing of this stream is wanted. */
        void onWrongFirst(ConverseResponse message);

        /** The stream is over; the last to be called, once. */
        void onClosed(Status status);
    }

    /** Bytes that gRPC may hold per stream before it says it is not ready: 0.3 s of PCM. */
    private static final int READY_THRESHOLD_BYTES = 16 * 1024;

    /** How long a backend may take to close its half after ours. */
    private static final long LINGER_SECONDS = 5;

    private final ClientCall<ConverseRequest, ConverseResponse> call;
    private final StreamThread thread;
    private final AtomicBoolean waits = new AtomicBoolean();
    private final ScheduledExecutorService timers;
    private final UplinkQueue queue;
    private final Listener listener;

    /** Guards what follows; the queue's own lock is taken within it. */
    private final Object lock = new Object();

    private boolean started;
    private boolean opened;
    private boolean sending;
    private boolean halfClosed;
    private boolean closed;
    private boolean requestHeld;

    /** What has been said last: the call is over, or goes on without this stream. */
    private @Nullable ConverseRequest farewell;

    private boolean leaving;
    private boolean parted;
    private @Nullable String cancelReason;
    private @Nullable ConverseRequest taken;

    /** A stream that is not started yet. */
    InferenceStream(
            Channel channel,
            StreamThread thread,
            String sessionId,
            ScheduledExecutorService timers,
            UplinkQueue queue,
            Listener listener) {
        // A call outlives the request that set it up, so it must not end with that one's context.
        Context request = Context.ROOT.attach();
        try {
            this.call =
                    channel.newCall(
                            VoiceAgentGrpc.getConverseMethod(),
                            CallOptions.DEFAULT
                                    .withOnReadyThreshold(READY_THRESHOLD_BYTES)
                                    .withOption(
                                            ClientSpans.PARENT, CallTrace.parse(sessionId).call()));
        } finally {
            Context.ROOT.detach(request);
        }
        this.thread = thread;
        this.timers = timers;
        this.queue = queue;
        this.listener = listener;
    }

    /** Starts it with its first message. */
    void start(SessionStart start, Metadata headers) {
        call.start(new Responses(), headers);
        call.sendMessage(ConverseRequest.newBuilder().setSessionStart(start).build());
        call.request(1);
        synchronized (lock) {
            started = true;
        }
        // Whoever has parted with it by now had to leave that to us.
        drain();
    }

    /** Whether what is added to the queue would be sent at once. */
    boolean isReady() {
        synchronized (lock) {
            return opened && !closed && farewell == null && call.isReady();
        }
    }

    /** Asks for one more message, as soon as the backend has read what it caused. */
    void requestNext() {
        synchronized (lock) {
            if (queue.isFull()) {
                requestHeld = true;
                return;
            }
        }
        call.request(1);
    }

    /** Says why the call is over, behind all that waits, and closes our half. */
    void end(SessionEnd end) {
        part(end, false);
    }

    /** The call goes on with another stream: takes nothing more of it and closes our half. */
    void leave(SessionEnd end) {
        part(end, true);
    }

    private void part(SessionEnd end, boolean leaves) {
        synchronized (lock) {
            if (farewell != null || closed) {
                return;
            }
            farewell = ConverseRequest.newBuilder().setSessionEnd(end).build();
            leaving = leaves;
        }
        drain();
        var _ = timers.schedule(() -> cancel("lingered"), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    /** Breaks the stream off. */
    void cancel(String reason) {
        synchronized (lock) {
            if (closed || cancelReason != null) {
                return;
            }
            cancelReason = reason;
        }
        drain();
    }

    /** Has what waits sent at the next {@link StreamThread#flush} of its thread. */
    void drainLater() {
        if (waits.compareAndSet(false, true)) {
            thread.add(this);
        }
    }

    /** Has its thread send what waits of this and other streams. */
    void flush() {
        thread.flush();
    }

    /** What {@link #drainLater} has asked for. */
    void drainWaiting() {
        // First: what is added from now on asks again.
        waits.set(false);
        drain();
    }

    private enum Step {
        SEND,
        SEND_AND_REQUEST,
        HALF_CLOSE,
        CANCEL
    }

    /** Sends what can be sent of what waits. */
    void drain() {
        synchronized (lock) {
            if (sending) {
                return;
            }
            sending = true;
        }
        Step step = takeStep();
        while (step != null) {
            switch (step) {
                case SEND -> call.sendMessage(Objects.requireNonNull(taken));
                case SEND_AND_REQUEST -> {
                    call.sendMessage(Objects.requireNonNull(taken));
                    call.request(1);
                }
                case HALF_CLOSE -> call.halfClose();
                case CANCEL -> call.cancel(cancelReason, null);
            }
            step = takeStep();
        }
    }

    /** What to do next; null gives up the right to send. */
    private @Nullable Step takeStep() {
        synchronized (lock) {
            if (started && !closed && cancelReason != null) {
                closed = true;
                return Step.CANCEL;
            }
            if (closed || halfClosed || !started) {
                sending = false;
                return null;
            }
            taken = next();
            if (taken != null) {
                boolean request = requestHeld && !queue.isFull();
                requestHeld &= !request;
                return request ? Step.SEND_AND_REQUEST : Step.SEND;
            }
            if (parted) {
                halfClosed = true;
                return Step.HALF_CLOSE;
            }
            sending = false;
            return null;
        }
    }

    private @Nullable ConverseRequest next() {
        ConverseRequest last = farewell;
        if (last == null) {
            return opened && call.isReady() ? queue.poll() : null;
        }
        // What ends the stream does not wait for a slow reader.
        ConverseRequest before = leaving ? null : queue.poll();
        if (before != null || parted) {
            return before;
        }
        parted = true;
        return last;
    }

    /** What gRPC calls on the transport's thread. */
    private final class Responses extends ClientCall.Listener<ConverseResponse> {
        private boolean ready;
        private boolean wrong;

        @Override
        public void onMessage(ConverseResponse message) {
            if (wrong) {
                return;
            }
            if (ready) {
                listener.onMessage(message);
            } else if (message.hasSessionReady()) {
                ready = true;
                listener.onReady(message.getSessionReady());
                synchronized (lock) {
                    opened = true;
                }
                drain();
            } else {
                wrong = true;
                listener.onWrongFirst(message);
            }
        }

        @Override
        public void onReady() {
            drain();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            synchronized (lock) {
                closed = true;
            }
            listener.onClosed(status);
        }
    }
}
