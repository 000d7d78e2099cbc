package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.Resume;
import dev.parley.proto.inference.v1.ResumePoint;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.media.AudioDrop;
import dev.parley.transceiver.recording.CallTape;
import io.grpc.Status;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call's way to inference, over however many streams it takes: when one breaks, another is
 * opened, to another replica if there is one, and what was to be sent waits meanwhile. Any thread
 * may send; nothing here blocks. Owned by the {@link InferenceCall}.
 *
 * <p>States: OPENING until the first stream is accepted; TALKING with a stream; LOST without one;
 * OVER. What happens to streams happens on threads of the transport and on the timers' thread.
 */
final class InferenceLink implements Leg.Owner {
    /** Hears what comes from inference, on threads that must not be blocked. */
    interface Listener {
        /** A backend accepted the call; the first to be called, once. */
        void onReady(SessionReady ready);

        /** Any later message; the next one comes only after {@link #requestNext}. */
        void onMessage(ConverseResponse message);

        /** The stream broke; another one is looked for. */
        void onLost(Status status);

        /** Whether nothing is being said to the caller and nothing waits to be. */
        boolean isQuiet();

        /** Another stream goes on; called before its first message. */
        void onResumed();

        /** What the next stream is to know of output; the link adds the rest. */
        Resume.Builder position();

        /** Whether the backend that goes on has accepted what the first one did. */
        boolean isSame(SessionReady ready);

        /** The call is over; the last to be called, once. */
        void onClosed(Status status);
    }

    private static final System.Logger LOGGER =
            System.getLogger(InferenceLink.class.getPackageName());

    /** How soon to look again whether a turn is over and the call can move. */
    private static final long QUIET_CHECK_MILLIS = 100;

    /** When to look again for somebody to move to. */
    private static final long MOVE_RETRY_MILLIS = 1_000;

    private enum Phase {
        OPENING,
        TALKING,
        LOST,
        OVER
    }

    private final Backends backends;
    private final ReplicaSet replicas;
    private final SessionStart start;
    private final Listener listener;
    private final LongSupplier clock;
    private final UplinkQueue queue = new UplinkQueue();
    private final AtomicLong audioDropped = new AtomicLong();
    private final Breaches breaches;

    /** As one object, so that it can be told apart. */
    private final Runnable retry = this::tryNext;

    // Of a call that is kept, from its acceptance on.
    private volatile CallTape tape = CallTape.NONE;

    // What the client sends and wants by now.
    private volatile CallMedia media;

    // Guarded by this.
    private final Set<Replica> tried = new HashSet<>();
    private Phase phase = Phase.OPENING;
    private @Nullable Leg current;
    private @Nullable Leg opening;
    private final Outage outage;
    private boolean readWanted;
    private boolean moveWanted;
    private int streams;
    private Status refusal = Status.UNAVAILABLE.withDescription("no address of it is known");

    InferenceLink(Backends backends, SessionStart start, Listener listener) {
        this.backends = backends;
        this.replicas = backends.replicas(start);
        this.start = start;
        this.media = start.getMedia();
        this.listener = listener;
        this.clock = backends.clock();
        this.outage = new Outage(backends.settings().reconnectTimeout().toNanos());
        this.breaches = new Breaches(start.getSessionId(), this::sendEvent, clock);
    }

    /** Opens the first stream. */
    void open() {
        tryNext();
    }

    // --- what is sent

    /** Sends input audio; the oldest that waits falls out when too much does. */
    void sendAudio(ConverseRequest message) {
        if (!queue.addAudio(message)) {
            audioDropped.incrementAndGet();
            boolean lost = stream() == null;
            backends.counters()
                    .increment(
                            lost ? AudioDrop.INPUT_INFERENCE_LOST : AudioDrop.INPUT_INFERENCE_SLOW);
        }
        drain();
    }

    /** Sends anything else; never dropped while the call lives. */
    void sendEvent(ConverseRequest message) {
        tape.toInference(message);
        queue.addEvent(message);
        drain();
    }

    /** Whether events that can wait elsewhere should be sent now. */
    boolean hasEventRoom() {
        return queue.hasRoom();
    }

    /** Input audio messages that were dropped because no backend took them in time. */
    long audioDropped() {
        return audioDropped.get();
    }

    /** Tells the backend what it does wrong. */
    Breaches breaches() {
        return breaches;
    }

    /** Keeps what happens in the call. */
    CallTape tape() {
        return tape;
    }

    /** Asks for one more message. */
    void requestNext() {
        InferenceStream stream;
        synchronized (this) {
            readWanted = true;
            stream = stream();
        }
        if (stream != null) {
            stream.requestNext();
        }
    }

    private synchronized @Nullable InferenceStream stream() {
        return current == null ? null : current.stream();
    }

    private void drain() {
        InferenceStream stream = stream();
        if (stream != null) {
            stream.drain();
        }
    }

    /** Says why the call is over. */
    void end(SessionEnd end) {
        tape.toInference(ConverseRequest.newBuilder().setSessionEnd(end).build());
        InferenceStream stream = finish(begun -> begun.leave(end));
        if (stream != null) {
            stream.end(end);
        }
    }

    /** Breaks the call off. */
    void cancel(String reason) {
        InferenceStream stream = finish(begun -> begun.cancel(reason));
        if (stream != null) {
            stream.cancel(reason);
        }
    }

    /**
     * Nothing is opened any more; answers the stream that is left to be ended.
     *
     * @param onBegun what is done with one that has not been accepted yet
     */
    private @Nullable InferenceStream finish(Consumer<InferenceStream> onBegun) {
        Leg begun;
        InferenceStream last;
        synchronized (this) {
            phase = Phase.OVER;
            begun = opening;
            opening = null;
            last = stream();
        }
        queue.close();
        replicas.forget(retry);
        if (begun != null) {
            onBegun.accept(begun.stream());
        }
        tape.end();
        return last;
    }

    // --- opening streams

    private void tryNext() {
        Leg leg;
        synchronized (this) {
            if ((phase != Phase.OPENING && phase != Phase.LOST) || opening != null) {
                return;
            }
            Replica replica = replicas.pick(tried, clock.getAsLong());
            leg = replica == null ? null : leg(replica);
            if (leg != null) {
                tried.add(leg.replica());
                opening = leg;
            }
        }
        if (leg == null) {
            nobodyLeft();
        } else {
            open(leg);
        }
    }

    /** The backend of the call's stream wants to stop. */
    private void wantMove(Leg leg, long delayMillis) {
        synchronized (this) {
            if (current != leg || moveWanted || phase != Phase.TALKING) {
                return;
            }
            moveWanted = true;
        }
        tryMoveLater(leg, delayMillis);
    }

    private void tryMoveLater(Leg leg, long delayMillis) {
        var _ = backends.timers().schedule(() -> tryMove(leg), delayMillis, TimeUnit.MILLISECONDS);
    }

    /** Opens a stream to another replica beside the one that is to be left. */
    private void tryMove(Leg from) {
        boolean quiet = listener.isQuiet();
        long now = clock.getAsLong();
        Leg leg = null;
        synchronized (this) {
            if (current != from || phase != Phase.TALKING || opening != null) {
                return;
            }
            Replica replica = quiet ? replicas.pick(Set.of(from.replica()), now) : null;
            if (replica != null && replica.isFit(now)) {
                leg = leg(replica);
                opening = leg;
            }
        }
        if (leg == null) {
            tryMoveLater(from, quiet ? MOVE_RETRY_MILLIS : QUIET_CHECK_MILLIS);
        } else {
            open(leg);
        }
    }

    private void moved(Leg leg, SessionReady ready) {
        Leg from;
        boolean read;
        synchronized (this) {
            from = current;
            if (opening != leg || phase != Phase.TALKING || from == null) {
                return;
            }
            streams++;
            take(leg, ready);
            read = readWanted;
        }
        from.stream().leave(SessionEnd.newBuilder().setReason(EndReason.END_REASON_MOVED).build());
        listener.onResumed();
        queue.sendAgain();
        backends.links().increment(LinkEvent.MOVED);
        tape.note("moved to " + leg.replica());
        LOGGER.log(
                System.Logger.Level.INFO,
                "session={0} moved from {1} to {2}",
                start.getSessionId(),
                from.replica(),
                leg.replica());
        if (read) {
            leg.stream().requestNext();
        }
    }

    /** All have been asked: a call that lives asks them again, one that is new is refused. */
    private void nobodyLeft() {
        boolean again;
        long wait;
        synchronized (this) {
            again = phase == Phase.LOST;
            tried.clear();
            wait = outage.backoffMillis();
        }
        if (again) {
            // Whichever is first: one of them is back, or it is time to ask again.
            replicas.onceReady(retry);
            var _ = backends.timers().schedule(retry, wait, TimeUnit.MILLISECONDS);
        } else {
            giveUp(refusal);
        }
    }

    private void giveUp(Status status) {
        Leg begun;
        synchronized (this) {
            if (phase == Phase.OVER) {
                return;
            }
            phase = Phase.OVER;
            begun = opening;
            opening = null;
        }
        queue.clear();
        replicas.forget(retry);
        tape.note("no stream is left: " + StreamStatus.describe(status));
        if (begun != null) {
            begun.stream().cancel("no time is left");
        }
        listener.onClosed(status);
    }

    @Override
    public void accepted(Leg leg, SessionReady ready) {
        boolean first;
        boolean moves;
        synchronized (this) {
            if (opening != leg) {
                return;
            }
            first = phase == Phase.OPENING;
            moves = phase == Phase.TALKING;
            if (first) {
                take(leg, ready);
            }
        }
        if (first) {
            backends.links().increment(LinkEvent.ACCEPTED);
            begin(backends.tapes().tape(start, ready));
            listener.onReady(ready);
        } else if (listener.isSame(ready)) {
            if (moves) {
                moved(leg, ready);
            } else {
                resumed(leg, ready);
            }
        } else {
            leg.refuse(
                    Status.FAILED_PRECONDITION,
                    "session_ready chose other formats than the stream before");
        }
    }

    /** The call may have ended meanwhile: then there is nobody else to end its tape. */
    private void begin(CallTape made) {
        boolean over;
        synchronized (this) {
            tape = made;
            over = phase == Phase.OVER;
        }
        if (over) {
            made.end();
        }
    }

    private void resumed(Leg leg, SessionReady ready) {
        long nanos;
        boolean read;
        listener.onResumed();
        queue.sendAgain();
        synchronized (this) {
            if (opening != leg || phase != Phase.LOST) {
                return;
            }
            take(leg, ready);
            nanos = clock.getAsLong() - outage.beganNanos();
            read = readWanted;
        }
        backends.links().increment(LinkEvent.RESUMED);
        tape.note("goes on with " + leg.replica());
        LOGGER.log(
                System.Logger.Level.INFO,
                "session={0} goes on with {1} after {2} ms",
                start.getSessionId(),
                leg.replica(),
                TimeUnit.NANOSECONDS.toMillis(nanos));
        if (read) {
            leg.stream().requestNext();
        }
    }

    private void take(Leg leg, SessionReady ready) {
        opening = null;
        current = leg;
        phase = Phase.TALKING;
        moveWanted = false;
        tried.clear();
        replicas.forget(retry);
        leg.settle();
        if (!ready.getResumeToken().isEmpty()) {
            confirm(ResumePoint.newBuilder().setToken(ready.getResumeToken()).build());
        }
    }

    private void confirm(ResumePoint point) {
        if (!queue.confirm(point.getToken(), point.getEventNumber())) {
            backends.links().increment(LinkEvent.TOKEN_TOO_LONG);
            breaches.tell(
                    Breach.TOKEN_TOO_LONG,
                    "a token has "
                            + point.getToken().size()
                            + " bytes; "
                            + UplinkQueue.MAX_TOKEN_BYTES
                            + " are the most");
        }
    }

    /** What streams that follow are told of the client's media. */
    void media(CallMedia now) {
        media = now;
    }

    private Leg leg(Replica replica) {
        return new Leg(replica, start.getSessionId(), queue, backends, this);
    }

    private void open(Leg leg) {
        SessionStart first;
        boolean resumes;
        synchronized (this) {
            resumes = phase != Phase.OPENING;
            first = nextStart();
        }
        leg.open(first, resumes);
    }

    private SessionStart nextStart() {
        int before = streams + (current == null ? 0 : 1);
        if (before == 0) {
            return start;
        }
        UplinkQueue.Position sent = queue.position();
        return start.toBuilder()
                .setMedia(media)
                .setResume(
                        listener.position()
                                .setToken(sent.token())
                                .setStreamsBefore(before)
                                .setReason(
                                        current == null
                                                ? StreamStatus.describe(refusal)
                                                : "its replica wants to stop")
                                .setNextSequenceNumber(sent.nextSequence())
                                .setAudioOffsetMs(sent.offsetMillis())
                                .setLastEventNumber(sent.lastEvent()))
                .build();
    }

    // --- what comes

    @Override
    public void said(Leg leg, ConverseResponse message) {
        synchronized (this) {
            if (current != leg) {
                return;
            }
            readWanted = false;
        }
        int bytes = message.getSerializedSize();
        if (bytes > Backends.MAX_MESSAGE_BYTES) {
            backends.links().increment(LinkEvent.MESSAGE_TOO_LONG);
            breaches.tooLong(message, bytes);
            requestNext();
            return;
        }
        tape.fromInference(message);
        if (message.hasResumePoint()) {
            confirm(message.getResumePoint());
            requestNext();
        } else if (message.hasHandover()) {
            wantMove(leg, 0);
            requestNext();
        } else {
            listener.onMessage(message);
        }
    }

    @Override
    public void draining(Leg leg) {
        wantMove(leg, QUIET_CHECK_MILLIS);
    }

    @Override
    public synchronized boolean awaits(Leg leg) {
        return opening == leg;
    }

    // --- the end of streams

    @Override
    public void closed(Leg leg, Status status) {
        boolean wasOpening;
        boolean wasCurrent;
        boolean over;
        synchronized (this) {
            wasOpening = opening == leg;
            wasCurrent = current == leg;
            over = phase == Phase.OVER;
            if (wasOpening) {
                opening = null;
            }
            if (wasCurrent) {
                current = null;
                streams++;
            }
        }
        if (wasOpening) {
            refused(leg, status);
        } else if (wasCurrent && (over || !mayReconnect(status))) {
            if (!over) {
                end(status);
            }
            queue.clear();
        } else if (wasCurrent) {
            broke(leg, status);
        }
    }

    private void end(Status status) {
        synchronized (this) {
            phase = Phase.OVER;
        }
        tape.note("the stream ended: " + StreamStatus.describe(status));
        listener.onClosed(status);
    }

    /** The stream was not accepted. */
    private void refused(Leg leg, Status status) {
        boolean lost;
        Leg stays = null;
        synchronized (this) {
            lost = phase == Phase.LOST;
            if (phase == Phase.TALKING) {
                stays = current;
            }
            // That a replica is full says more than that another one is down.
            if (refusal.getCode() != Status.Code.RESOURCE_EXHAUSTED
                    || StreamStatus.isVerdict(status)) {
                refusal = status;
            }
        }
        leg.replica().troubled(clock.getAsLong());
        if (stays != null) {
            tryMoveLater(stays, MOVE_RETRY_MILLIS);
        } else if (lost ? StreamStatus.isVerdict(status) : !StreamStatus.mayBeElsewhere(status)) {
            giveUpCounted(status);
        } else {
            backends.links().increment(LinkEvent.REFUSED_ELSEWHERE);
            tryNext();
        }
    }

    private void giveUpCounted(Status status) {
        boolean lost;
        synchronized (this) {
            lost = phase == Phase.LOST;
        }
        if (lost) {
            backends.links().increment(LinkEvent.GIVEN_UP);
        }
        giveUp(status);
    }

    /** The call's stream broke. */
    private void broke(Leg leg, Status status) {
        long now = clock.getAsLong();
        long timeout = backends.settings().reconnectTimeout().toNanos();
        boolean fresh;
        long wait = 0;
        leg.replica().troubled(now);
        synchronized (this) {
            phase = Phase.LOST;
            refusal = status;
            tried.clear();
            tried.add(leg.replica());
            fresh = outage.begin(now);
            if (!fresh) {
                wait = outage.backoffMillis();
            }
        }
        backends.links().increment(LinkEvent.BROKEN);
        LOGGER.log(
                System.Logger.Level.WARNING,
                "session={0} the stream to {1} broke ({2}); another one is looked for",
                start.getSessionId(),
                leg.replica(),
                StreamStatus.describe(status));
        tape.note("the stream to " + leg.replica() + " broke: " + StreamStatus.describe(status));
        listener.onLost(status);
        if (fresh) {
            var _ =
                    backends.timers()
                            .schedule(() -> onDeadline(now), timeout, TimeUnit.NANOSECONDS);
            tryNext();
        } else {
            var _ = backends.timers().schedule(this::tryNext, wait, TimeUnit.MILLISECONDS);
        }
    }

    private void onDeadline(long outageBeganNanos) {
        Status status;
        synchronized (this) {
            if (phase != Phase.LOST || outage.beganNanos() != outageBeganNanos) {
                return;
            }
            status = refusal;
        }
        giveUpCounted(status);
    }

    private boolean mayReconnect(Status status) {
        return StreamStatus.isBreak(status) && !backends.settings().reconnectTimeout().isZero();
    }
}
