package dev.parley.transceiver.session;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When a call's set-up reached which point, in time since its creation, and its share of the work.
 * Written by whichever thread gets there first, read by any.
 */
public final class SetupPhases {
    /** Points of a set-up, in their usual order. */
    public enum Phase {
        /** The answer is ready, the backend has accepted. */
        ANSWERED,
        /** The first authenticated ICE check. */
        FIRST_CHECK,
        /** DTLS is done, SRTP keys are there. */
        DTLS_CONNECTED,
        /** The first authenticated RTP packet. */
        FIRST_RTP,
        /** The first InputAudio was handed to inference. */
        FIRST_INPUT
    }

    private static final long NOT_YET = -1;

    private final long createdNanos;
    private final CallObserver observer;
    private final SetupWork.Share work;
    private final AtomicLongArray nanos = new AtomicLongArray(Phase.values().length);

    /** Of a call that nobody observes. */
    public SetupPhases(long createdNanos) {
        this(createdNanos, CallObserver.NONE, SetupWork.unbounded().share());
    }

    /**
     * @param observer told of each point, and of what else befalls the call
     * @param work its share; closed when it is set up, or will not be
     */
    public SetupPhases(long createdNanos, CallObserver observer, SetupWork.Share work) {
        this.createdNanos = createdNanos;
        this.observer = observer;
        this.work = work;
        for (Phase phase : Phase.values()) {
            nanos.setPlain(phase.ordinal(), NOT_YET);
        }
    }

    public long createdNanos() {
        return createdNanos;
    }

    /** Who wants to know what befalls the call. */
    public CallObserver observer() {
        return observer;
    }

    /** Where its set-up takes turns to compute. */
    public SetupWork.Share work() {
        return work;
    }

    /** Notes that a point is reached; only the first time counts. */
    public void reached(Phase phase, long nowNanos) {
        if (nanos.getPlain(phase.ordinal()) == NOT_YET
                && nanos.compareAndSet(
                        phase.ordinal(), NOT_YET, Math.max(0, nowNanos - createdNanos))) {
            observer.reached(phase, nowNanos);
        }
    }

    public boolean has(Phase phase) {
        return nanos.get(phase.ordinal()) != NOT_YET;
    }

    /** Milliseconds from creation to the point; NaN when it was not reached. */
    public double millis(Phase phase) {
        long at = nanos.get(phase.ordinal());
        return at == NOT_YET ? Double.NaN : at / 1e6;
    }

    /** One word per point, for a log line: {@code answered_ms=12.3 ...}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Phase phase : Phase.values()) {
            if (has(phase)) {
                text.append(text.isEmpty() ? "" : " ")
                        .append(phase.name().toLowerCase(Locale.ROOT))
                        .append("_ms=")
                        .append(String.format(Locale.ROOT, "%.1f", millis(phase)));
            }
        }
        return text.toString();
    }
}
