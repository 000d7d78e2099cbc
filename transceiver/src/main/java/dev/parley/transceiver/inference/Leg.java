package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Status;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One stream of a call, and whom it goes to. Owned by the call's link; any thread may enter. */
final class Leg implements InferenceStream.Listener, Replica.Guest {
    /** What the link is told, on threads that must not be blocked. */
    interface Owner {
        /** The backend accepted the call. */
        void accepted(Leg leg, SessionReady ready);

        /** Any later message. */
        void said(Leg leg, ConverseResponse message);

        /** The backend wants its streams to go elsewhere. */
        void draining(Leg leg);

        /** Whether the call still waits for this one to be accepted. */
        boolean awaits(Leg leg);

        /** Nothing more comes of it; once. */
        void closed(Leg leg, Status status);
    }

    private final Replica replica;
    private final InferenceStream stream;
    private final Backends backends;
    private final Owner owner;
    private final AtomicBoolean over = new AtomicBoolean();

    /** A stream that is not opened yet. */
    Leg(Replica replica, String sessionId, UplinkQueue queue, Backends backends, Owner owner) {
        this.replica = replica;
        this.backends = backends;
        this.owner = owner;
        this.stream =
                new InferenceStream(
                        replica.channel(),
                        replica.thread(),
                        sessionId,
                        backends.timers(),
                        queue,
                        this);
    }

    Replica replica() {
        return replica;
    }

    InferenceStream stream() {
        return stream;
    }

    /**
     * Opens it.
     *
     * @param resumes whether it takes a call over: nobody but us waits for its answer then
     */
    void open(SessionStart first, boolean resumes) {
        replica.opening();
        stream.start(first, CallHeaders.of(first));
        if (resumes) {
            var _ =
                    backends.timers()
                            .schedule(
                                    this::onLate,
                                    backends.settings().readyTimeout().toNanos(),
                                    TimeUnit.NANOSECONDS);
        }
    }

    private void onLate() {
        if (owner.awaits(this)) {
            refuse(Status.DEADLINE_EXCEEDED, tooLate(backends.settings().readyTimeout()));
        }
    }

    /** What a backend is told that has not answered in time. */
    static String tooLate(Duration timeout) {
        return "no session_ready within " + timeout.toMillis() + " ms";
    }

    /** What a backend is told whose stream is not wanted any more. */
    static SessionEnd refusal(String why) {
        return SessionEnd.newBuilder()
                .setReason(EndReason.END_REASON_INFERENCE_FAILED)
                .setMessage(why)
                .build();
    }

    /** It is not what is needed: it is told why, and is over as far as the call goes. */
    void refuse(Status as, String why) {
        stream.leave(refusal(why));
        over(as.withDescription(why));
    }

    /** Has its replica tell when its streams are to go elsewhere. */
    void settle() {
        replica.add(this);
    }

    @Override
    public void onDraining() {
        owner.draining(this);
    }

    @Override
    public void onReady(SessionReady ready) {
        owner.accepted(this, ready);
    }

    @Override
    public void onMessage(ConverseResponse message) {
        owner.said(this, message);
    }

    @Override
    public void onWrongFirst(ConverseResponse message) {
        refuse(
                Status.FAILED_PRECONDITION,
                "the first message must be session_ready, not "
                        + message.getMessageCase().name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void onClosed(Status status) {
        over(status);
    }

    private void over(Status status) {
        if (over.compareAndSet(false, true)) {
            replica.closed();
            replica.remove(this);
            owner.closed(this, status);
        }
    }
}
