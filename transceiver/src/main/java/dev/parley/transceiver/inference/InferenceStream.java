package dev.parley.transceiver.inference;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.CallTrace;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.AudioDrop;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One call's Converse stream. Any thread may send; nothing here blocks, and a backend that reads
 * too slowly makes the oldest input audio fall out of a bounded queue. Reading is granted message
 * by message.
 *
 * <p>Two short queues stand in front of gRPC, events before audio. Whoever adds to them also drains
 * them, one thread at a time, so a packet goes from the media loop to the transport without waking
 * another thread of ours.
 */
public final class InferenceStream {
    /** Hears what comes from inference, on a transport thread that must not be blocked. */
    public interface Listener {
        /**
         * The backend accepted the call; the first to be called, once. What it says next comes only
         * after {@link #requestNext}.
         */
        void onReady(SessionReady ready);

        /** Any later message; the next one comes only after {@link #requestNext}. */
        void onMessage(ConverseResponse message);

        /** The stream is over; the last to be called, once. */
        void onClosed(Status status);
    }

    /** Input audio that may wait for a slow backend: 2 s in packets of 20 ms. */
    static final int MAX_AUDIO = 100;

    /** Events that may wait; beyond it nothing more is read from a backend that does not read. */
    static final int MAX_EVENTS = 256;

    /** Events and their bytes that may wait before {@link #hasEventRoom} says no. */
    private static final int ROOMY_EVENTS = MAX_EVENTS / 2;

    private static final int ROOMY_EVENT_BYTES = 256 * 1024;

    /** Bytes that gRPC may hold per stream before it says it is not ready: 0.3 s of PCM. */
    private static final int READY_THRESHOLD_BYTES = 16 * 1024;

    /** How long a backend may take to close its half after ours. */
    private static final long LINGER_SECONDS = 5;

    private final ClientCall<ConverseRequest, ConverseResponse> call;
    private final ScheduledExecutorService timers;
    private final Listener listener;
    private final AudioCounters counters;
    private final AtomicLong audioDropped = new AtomicLong();

    // Guarded by events: both queues and all flags below.
    private final ArrayDeque<ConverseRequest> events = new ArrayDeque<>();
    private final ArrayDeque<ConverseRequest> audio = new ArrayDeque<>();
    private long eventBytes;
    private boolean opened;
    private boolean sending;
    private boolean ending;
    private boolean halfClosed;
    private boolean closed;
    private boolean requestHeld;
    private @Nullable String cancelReason;
    private @Nullable ConverseRequest taken;

    private InferenceStream(
            ClientCall<ConverseRequest, ConverseResponse> call,
            ScheduledExecutorService timers,
            AudioCounters counters,
            Listener listener) {
        this.call = call;
        this.timers = timers;
        this.counters = counters;
        this.listener = listener;
    }

    /** Starts a stream with its first message. */
    static InferenceStream open(
            Channel channel,
            ScheduledExecutorService timers,
            AudioCounters counters,
            SessionStart start,
            Listener listener) {
        // A call outlives the request that set it up, so it must not end with that one's context.
        Context request = Context.ROOT.attach();
        try {
            ClientCall<ConverseRequest, ConverseResponse> call =
                    channel.newCall(
                            VoiceAgentGrpc.getConverseMethod(),
                            CallOptions.DEFAULT
                                    .withOnReadyThreshold(READY_THRESHOLD_BYTES)
                                    .withOption(
                                            ClientSpans.PARENT,
                                            CallTrace.parse(start.getSessionId()).call()));
            InferenceStream stream = new InferenceStream(call, timers, counters, listener);
            call.start(stream.new Responses(), new Metadata());
            call.sendMessage(ConverseRequest.newBuilder().setSessionStart(start).build());
            call.request(1);
            return stream;
        } finally {
            Context.ROOT.detach(request);
        }
    }

    /** Sends input audio; the oldest that waits falls out when the queue is full. */
    public void sendAudio(ConverseRequest message) {
        synchronized (events) {
            if (ending || closed) {
                return;
            }
            if (audio.size() == MAX_AUDIO) {
                audio.remove();
                audioDropped.incrementAndGet();
                counters.increment(AudioDrop.INPUT_INFERENCE_SLOW);
            }
            audio.add(message);
        }
        drain();
    }

    /** Sends anything else; never dropped while the stream lives. */
    public void sendEvent(ConverseRequest message) {
        synchronized (events) {
            if (ending || closed) {
                return;
            }
            events.add(message);
            eventBytes += message.getSerializedSize();
        }
        drain();
    }

    /** Whether events that can wait elsewhere should be sent now. */
    public boolean hasEventRoom() {
        synchronized (events) {
            return events.size() < ROOMY_EVENTS && eventBytes < ROOMY_EVENT_BYTES;
        }
    }

    /** Asks for one more message, as soon as the backend has read what it caused. */
    public void requestNext() {
        synchronized (events) {
            if (events.size() >= MAX_EVENTS) {
                requestHeld = true;
                return;
            }
        }
        call.request(1);
    }

    /** Says why the call is over and closes our half; what input audio waits is dropped. */
    public void end(SessionEnd end) {
        synchronized (events) {
            if (ending || closed) {
                return;
            }
            ending = true;
            audio.clear();
            ConverseRequest last = ConverseRequest.newBuilder().setSessionEnd(end).build();
            events.add(last);
            eventBytes += last.getSerializedSize();
        }
        drain();
        var _ = timers.schedule(() -> cancel("lingered"), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    /** Breaks the stream off. */
    public void cancel(String reason) {
        synchronized (events) {
            if (closed || cancelReason != null) {
                return;
            }
            ending = true;
            cancelReason = reason;
        }
        drain();
    }

    /** Input audio messages that a slow backend made us drop. */
    public long audioDropped() {
        return audioDropped.get();
    }

    private enum Step {
        SEND,
        SEND_AND_REQUEST,
        HALF_CLOSE,
        CANCEL
    }

    private void drain() {
        synchronized (events) {
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
        synchronized (events) {
            if (closed) {
                sending = false;
                return null;
            }
            if (cancelReason != null) {
                closed = true;
                return Step.CANCEL;
            }
            taken = next();
            if (taken != null) {
                boolean request = requestHeld && events.size() < MAX_EVENTS;
                requestHeld &= !request;
                return request ? Step.SEND_AND_REQUEST : Step.SEND;
            }
            if (ending && !halfClosed) {
                halfClosed = true;
                return Step.HALF_CLOSE;
            }
            sending = false;
            return null;
        }
    }

    private @Nullable ConverseRequest next() {
        // What ends the stream does not wait for a slow reader.
        if (!ending && !(opened && call.isReady())) {
            return null;
        }
        ConverseRequest event = events.poll();
        if (event != null) {
            eventBytes -= event.getSerializedSize();
            return event;
        }
        return audio.poll();
    }

    /** What gRPC calls on the transport's thread. */
    private final class Responses extends ClientCall.Listener<ConverseResponse> {
        private boolean ready;

        @Override
        public void onMessage(ConverseResponse message) {
            if (ready) {
                listener.onMessage(message);
            } else if (message.hasSessionReady()) {
                ready = true;
                synchronized (events) {
                    opened = true;
                }
                listener.onReady(message.getSessionReady());
                drain();
            } else {
                cancel("first message is not SessionReady");
            }
        }

        @Override
        public void onReady() {
            drain();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            synchronized (events) {
                closed = true;
                events.clear();
                audio.clear();
            }
            listener.onClosed(status);
        }
    }
}
