package dev.parley.inferencestub;

import static java.lang.System.Logger.Level.ERROR;

import dev.parley.inferencestub.script.Script;
import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Serves Converse: admits streams up to the limit and knows those that are open. */
final class VoiceAgentService extends VoiceAgentGrpc.VoiceAgentImplBase {
    /** Has the edge go elsewhere. */
    static final Status STOPPING =
            Status.UNAVAILABLE.withDescription("the inference stub is stopping");

    private static final System.Logger LOGGER = System.getLogger("dev.parley.inferencestub");

    private final InferenceStubConfig config;
    private final StubCounters counters;
    private final StubObserver observer;
    private final LongSupplier nanoClock;
    private final Synthesizer synthesizer;
    private final Script script;

    // Guarded by itself, as leaving is.
    private final Set<Conversation> open = new HashSet<>();
    private boolean leaving;

    VoiceAgentService(
            InferenceStubConfig config,
            Telemetry telemetry,
            StubObserver observer,
            LongSupplier nanoClock,
            Synthesizer synthesizer) {
        this.config = config;
        this.counters = new StubCounters(telemetry);
        this.observer = observer;
        this.nanoClock = nanoClock;
        this.synthesizer = synthesizer;
        this.script = Scripts.load(config.script());
        telemetry.gauge(Metric.INFERENCE_STUB_OPEN_STREAMS, this::openStreams);
    }

    @Override
    public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> responses) {
        // A server always gets this kind of observer: StreamObserver alone has no back-pressure.
        Conversation conversation =
                new Conversation(this, (ServerCallStreamObserver<ConverseResponse>) responses);
        if (isLeaving()) {
            conversation.end(STOPPING);
        } else if (!admit(conversation)) {
            conversation.refuse(
                    Misuse.TOO_MANY_SESSIONS.refusal(
                            "all " + config.maxSessions() + " sessions are in use"));
        }
        return conversation;
    }

    /** One turn of the timer; called about every 50 ms. */
    void tick() {
        snapshot().forEach(Conversation::tick);
    }

    /** Takes no more streams, and asks the edge to have others go on with those that are open. */
    void leave() {
        synchronized (open) {
            leaving = true;
        }
        snapshot().forEach(Conversation::leave);
    }

    private boolean isLeaving() {
        synchronized (open) {
            return leaving;
        }
    }

    /** Waits until no stream is open; false when the time is over before that. */
    boolean awaitEmpty(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        synchronized (open) {
            while (!open.isEmpty()) {
                long leftMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (leftMillis <= 0) {
                    return false;
                }
                open.wait(leftMillis);
            }
        }
        return true;
    }

    /** Ends all streams. */
    void endAll(Status status) {
        snapshot().forEach(conversation -> conversation.end(status));
    }

    void forget(Conversation conversation) {
        synchronized (open) {
            open.remove(conversation);
            open.notifyAll();
        }
    }

    void logFault(String sessionId, RuntimeException fault) {
        counters.faults.increment();
        LOGGER.log(ERROR, "session=" + sessionId + " failed", fault);
    }

    InferenceStubConfig config() {
        return config;
    }

    StubCounters counters() {
        return counters;
    }

    StubObserver observer() {
        return observer;
    }

    Synthesizer synthesizer() {
        return synthesizer;
    }

    /** What a scripted agent plays unless the session brings its own. */
    Script script() {
        return script;
    }

    long nanoTime() {
        return nanoClock.getAsLong();
    }

    private boolean admit(Conversation conversation) {
        synchronized (open) {
            return !leaving && open.size() < config.maxSessions() && open.add(conversation);
        }
    }

    private List<Conversation> snapshot() {
        synchronized (open) {
            return List.copyOf(open);
        }
    }

    private int openStreams() {
        synchronized (open) {
            return open.size();
        }
    }
}
