package dev.parley.transceiver.control;

import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.inference.StreamStatus;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.Session;
import dev.parley.transceiver.session.SetupPhases;
import io.grpc.Status;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries what happens on the inference side of a call to the call's media loop. It may happen
 * before the session is there; then it waits for {@link #joined}.
 */
final class SessionInference implements InferenceCall.Owner {
    private final MediaLoop loop;
    private final SetupPhases phases;
    private final LongSupplier clock;
    private @Nullable Session session;
    private @Nullable Status failure;
    private @Nullable Throwable fault;
    private String faultIn = "";

    SessionInference(MediaLoop loop, SetupPhases phases, LongSupplier clock) {
        this.loop = loop;
        this.phases = phases;
        this.clock = clock;
    }

    /** The session has been added to its loop. */
    synchronized void joined(Session joined) {
        session = joined;
        loop.nudge(joined);
        if (fault != null) {
            loop.fault(joined, faultIn, fault);
        }
        if (failure != null) {
            loop.end(joined, EndReason.INFERENCE_FAILED, StreamStatus.describe(failure));
        }
    }

    @Override
    public void onFirstInput() {
        phases.reached(SetupPhases.Phase.FIRST_INPUT, clock.getAsLong());
    }

    @Override
    public void onSpeech(boolean speaking) {
        long now = clock.getAsLong();
        if (speaking) {
            phases.observer().speechStarted(now);
        } else {
            phases.observer().speechStopped(now);
        }
    }

    @Override
    public void onInferenceLost(Status status) {
        phases.observer().inferenceLost(status.getCode().name(), clock.getAsLong());
    }

    @Override
    public void onInferenceResumed() {
        phases.observer().inferenceResumed(clock.getAsLong());
    }

    @Override
    public synchronized void onInferenceFailed(Status status) {
        failure = status;
        if (session != null) {
            loop.end(session, EndReason.INFERENCE_FAILED, StreamStatus.describe(status));
        }
    }

    @Override
    public synchronized void onFault(String where, Throwable thrown) {
        fault = thrown;
        faultIn = where;
        if (session != null) {
            loop.fault(session, where, thrown);
        }
    }

    @Override
    public synchronized void onOutput() {
        if (session != null) {
            loop.nudge(session);
        }
    }
}
