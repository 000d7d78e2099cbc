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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/** Serves Converse: admits streams up to the limit and knows those that are open. */
final class VoiceAgentService extends VoiceAgentGrpc.VoiceAgentImplBase {
    private static final System.Logger LOGGER = System.getLogger("dev.parley.inferencestub");

    private final InferenceStubConfig config;
    private final StubCounters counters;
    private final StubObserver observer;
    private final LongSupplier nanoClock;
    private final Synthesizer synthesizer;
    private final Script script;
    private final Set<Conversation> open = new HashSet<>();

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
        if (!admit(conversation)) {
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

    /** Ends all streams. */
    void endAll(Status status) {
        snapshot().forEach(conversation -> conversation.end(status));
    }

    void forget(Conversation conversation) {
        synchronized (open) {
            open.remove(conversation);
        }
    }

    void logFault(String sessionId, RuntimeException fault) {
        counters.faults.increment();
        LOGGER.log(ERROR, "session " + sessionId + " failed", fault);
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
            return open.size() < config.maxSessions() && open.add(conversation);
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
