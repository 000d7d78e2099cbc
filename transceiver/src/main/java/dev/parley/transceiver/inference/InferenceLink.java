package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.ResumePoint;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.recording.CallTape;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call's way to inference, over however many streams it takes: when one breaks, another is
 * opened, to another replica if there is one, and what was to be sent waits meanwhile. Any thread
 * may send; nothing here blocks. Owned by the {@link InferenceCall}.
 *
 * <p>What happens to streams happens on threads of the transport and on the timers' thread; {@link
 * LinkState} says what each of it means for the call.
 */
final class InferenceLink implements Leg.Owner {
    /** How soon to look again whether a turn is over and the call can move. */
    private static final long QUIET_CHECK_MILLIS = 100;

    /** When to look again for somebody to move to. */
    private static final long MOVE_RETRY_MILLIS = 1_000;

    private final Backends backends;
    private final ReplicaSet replicas;
    private final SessionStart start;
    private final LinkListener listener;
    private final LongSupplier clock;
    private final LinkState state;
    private final Uplink uplink;
    private final Breaches breaches;
    private final LinkStory story;
    private final ReadPace pace;

    /** As one object, so that it can be told apart. */
    private final Runnable retry = this::tryNext;

    InferenceLink(Backends backends, SessionStart start, LinkListener listener) {
        this.backends = backends;
        this.replicas = backends.replicas(start);
        this.start = start;
        this.listener = listener;
        this.clock = backends.clock();
        this.state = new LinkState(new Outage(backends.settings().reconnectTimeout().toNanos()));
        this.uplink = new Uplink(start, backends.counters(), backends.links());
        this.story = new LinkStory(start.getSessionId(), backends.links());
        this.pace = new ReadPace(clock);
        this.breaches = new Breaches(start.getSessionId(), this::sendEvent, clock);
    }

    /** Opens the first stream. */
    void open() {
        tryNext();
    }

    // --- what is sent

    /**
     * Sends input audio with the next {@link #flush}; the oldest that waits falls out when too much
     * does.
     */
    void sendAudio(ConverseRequest message) {
        if (!uplink.queue().addAudio(message)) {
            uplink.dropped(state.stream() == null);
        }
        InferenceStream stream = state.stream();
        if (stream != null) {
            stream.drainLater();
        }
    }

    /** Has input audio leave now. */
    void flush() {
        InferenceStream stream = state.stream();
        if (stream != null) {
            stream.flush();
        }
    }

    /** Sends anything else; never dropped while the call lives. */
    void sendEvent(ConverseRequest message) {
        tape().toInference(message);
        // What the caller said before it goes first, unless it waits or is being sent right now:
        // events do not wait behind audio, and both say when they were.
        drain();
        uplink.queue().addEvent(message);
        drain();
    }

    /** Whether events that can wait elsewhere should be sent now. */
    boolean hasEventRoom() {
        return uplink.queue().hasRoom();
    }

    /** What waits on both ways, of which the link knows the way up. */
    EventBacklog waiting(long downBytes, boolean downWithheld) {
        InferenceStream stream = state.stream();
        return new EventBacklog(
                uplink.queue().waitingEvents(),
                uplink.queue().waitingEventBytes(),
                stream != null && stream.isReady(),
                downBytes,
                downWithheld);
    }

    /** Input audio messages that were dropped because no backend took them in time. */
    long audioDropped() {
        return uplink.audioDropped();
    }

    /** What streams that follow are told of the client's media. */
    void media(CallMedia now) {
        uplink.media(now);
    }

    /** Tells the backend what it does wrong. */
    Breaches breaches() {
        return breaches;
    }

    /** Keeps what happens in the call. */
    CallTape tape() {
        return story.tape();
    }

    /** How fast the backend is read. */
    ReadPace pace() {
        return pace;
    }

    /** Asks for one more message, as soon as its pace allows. */
    void requestNext() {
        long wait = pace.waitNanos();
        if (wait > 0) {
            var _ = backends.timers().schedule(this::requestNow, wait, TimeUnit.NANOSECONDS);
        } else {
            requestNow();
        }
    }

    private void requestNow() {
        InferenceStream stream = state.wantRead();
        if (stream != null) {
            stream.requestNext();
        }
    }

    private void drain() {
        InferenceStream stream = state.stream();
        if (stream != null) {
            stream.drain();
        }
    }

    /** Says why the call is over. */
    void end(SessionEnd end) {
        tape().toInference(ConverseRequest.newBuilder().setSessionEnd(end).build());
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
        LinkState.Left left = state.finish();
        uplink.queue().close();
        replicas.forget(retry);
        if (left.begun() != null) {
            onBegun.accept(left.begun().stream());
        }
        tape().end();
        return left.talking();
    }

    // --- opening streams

    private void tryNext() {
        LinkState.Next next =
                state.next(
                        tried -> {
                            Replica replica = replicas.pick(tried, clock.getAsLong());
                            return replica == null ? null : leg(replica);
                        });
        if (next.leg() != null) {
            open(next.leg());
        } else if (next.wanted()) {
            nobodyLeft();
        }
    }

    /** The backend of the call's stream wants to stop. */
    private void wantMove(Leg leg, long delayMillis) {
        if (state.wantMove(leg)) {
            tryMoveLater(leg, delayMillis);
        }
    }

    private void tryMoveLater(Leg leg, long delayMillis) {
        var _ = backends.timers().schedule(() -> tryMove(leg), delayMillis, TimeUnit.MILLISECONDS);
    }

    /** Opens a stream to another replica beside the one that is to be left. */
    private void tryMove(Leg from) {
        boolean quiet = listener.isQuiet();
        long now = clock.getAsLong();
        LinkState.Next next =
                state.move(
                        from,
                        left -> {
                            Replica replica = quiet ? replicas.pick(left, now) : null;
                            return replica != null && replica.isFit(now) ? leg(replica) : null;
                        });
        if (next.leg() != null) {
            open(next.leg());
        } else if (next.wanted()) {
            tryMoveLater(from, quiet ? MOVE_RETRY_MILLIS : QUIET_CHECK_MILLIS);
        }
    }

    /** All have been asked: a call that lives asks them again, one that is new is refused. */
    private void nobodyLeft() {
        long wait = state.nobodyLeft();
        if (wait > 0) {
            // Whichever is first: one of them is back, or it is time to ask again.
            replicas.onceReady(retry);
            var _ = backends.timers().schedule(retry, wait, TimeUnit.MILLISECONDS);
        } else {
            giveUp(state.refusal());
        }
    }

    private void giveUp(Status status) {
        LinkState.Left left = state.giveUp();
        if (left == null) {
            return;
        }
        uplink.queue().clear();
        replicas.forget(retry);
        story.nobodyIsLeft(status);
        if (left.begun() != null) {
            left.begun().stream().cancel("no time is left");
        }
        listener.onClosed(status);
    }

    private Leg leg(Replica replica) {
        return new Leg(replica, start.getSessionId(), uplink.queue(), backends, this);
    }

    private void open(Leg leg) {
        LinkState.Before before = state.before();
        if (before == null) {
            leg.open(start, false);
        } else {
            leg.open(uplink.resume(before.streams(), before.reason(), listener.position()), true);
        }
    }

    // --- when they are accepted

    @Override
    public void accepted(Leg leg, SessionReady ready) {
        LinkState.Acceptance acceptance = state.accept(leg);
        switch (acceptance) {
            case UNWANTED -> {}
            case FIRST -> begin(leg, ready);
            case MOVES, RESUMES -> {
                if (!listener.isSame(ready)) {
                    leg.refuse(
                            Status.FAILED_PRECONDITION,
                            "session_ready chose other formats than the stream before");
                } else if (acceptance == LinkState.Acceptance.MOVES) {
                    moved(leg, ready);
                } else {
                    resumed(leg, ready);
                }
            }
        }
    }

    private void begin(Leg leg, SessionReady ready) {
        settle(leg, ready);
        story.accepted();
        CallTape made = backends.tapes().tape(start, ready);
        story.keep(made);
        if (state.isOver()) {
            made.end(); // The call ended meanwhile, and nobody else does.
        }
        listener.onReady(ready);
    }

    private void moved(Leg leg, SessionReady ready) {
        Leg from = state.replace(leg);
        if (from == null) {
            // The one that was to be left broke in this very moment.
            resumed(leg, ready);
            return;
        }
        settle(leg, ready);
        from.stream().leave(SessionEnd.newBuilder().setReason(EndReason.END_REASON_MOVED).build());
        listener.onResumed();
        uplink.queue().sendAgain();
        story.moved(from.replica(), leg.replica());
        readOn(leg);
    }

    private void resumed(Leg leg, SessionReady ready) {
        listener.onResumed();
        uplink.queue().sendAgain();
        if (!state.resume(leg)) {
            return;
        }
        settle(leg, ready);
        long nanos = state.outageNanos(clock.getAsLong());
        story.resumed(leg.replica(), TimeUnit.NANOSECONDS.toMillis(nanos));
        readOn(leg);
    }

    /** It carries the call from now on. */
    private void settle(Leg leg, SessionReady ready) {
        replicas.forget(retry);
        leg.settle();
        if (!ready.getResumeToken().isEmpty()) {
            uplink.confirm(
                    ResumePoint.newBuilder().setToken(ready.getResumeToken()).build(), breaches);
        }
    }

    private void readOn(Leg leg) {
        if (state.wantsRead()) {
            leg.stream().requestNext();
        }
    }

    // --- what comes

    @Override
    public void said(Leg leg, ConverseResponse message) {
        if (!state.hears(leg)) {
            return;
        }
        int bytes = message.getSerializedSize();
        if (!message.hasOutputAudio()) {
            pace.read(bytes);
        }
        if (bytes > Backends.MAX_MESSAGE_BYTES) {
            pace.wasted(bytes);
            story.tooLong();
            breaches.tooLong(message, bytes);
            requestNext();
            return;
        }
        tape().fromInference(message);
        if (message.hasResumePoint()) {
            uplink.confirm(message.getResumePoint(), breaches);
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
    public boolean awaits(Leg leg) {
        return state.awaits(leg);
    }

    // --- the end of streams

    @Override
    public void closed(Leg leg, Status status) {
        switch (state.close(leg)) {
            case NONE -> {}
            case OPENING -> refused(leg, status);
            case LAST -> uplink.queue().clear();
            case CURRENT -> {
                if (mayReconnect(status)) {
                    broke(leg, status);
                } else {
                    ended(status);
                }
            }
        }
    }

    private void ended(Status status) {
        state.over();
        story.ended(status);
        listener.onClosed(status);
        uplink.queue().clear();
    }

    /** The stream was not accepted. */
    private void refused(Leg leg, Status status) {
        LinkState.Refused refused = state.refuse(status);
        leg.replica().troubled(clock.getAsLong());
        if (refused.stays() != null) {
            tryMoveLater(refused.stays(), MOVE_RETRY_MILLIS);
        } else if (refused.lost()
                ? StreamStatus.isVerdict(status)
                : !StreamStatus.mayBeElsewhere(status)) {
            giveUpCounted(status);
        } else {
            story.refusedElsewhere();
            tryNext();
        }
    }

    private void giveUpCounted(Status status) {
        if (state.isLost()) {
            story.givenUp();
        }
        giveUp(status);
    }

    /** The call's stream broke. */
    private void broke(Leg leg, Status status) {
        long now = clock.getAsLong();
        leg.replica().troubled(now);
        long wait = state.lose(leg, status, now);
        story.broke(leg.replica(), status);
        listener.onLost(status);
        if (wait == 0) {
            var _ =
                    backends.timers()
                            .schedule(
                                    () -> onDeadline(now),
                                    backends.settings().reconnectTimeout().toNanos(),
                                    TimeUnit.NANOSECONDS);
            tryNext();
        } else {
            var _ = backends.timers().schedule(this::tryNext, wait, TimeUnit.MILLISECONDS);
        }
    }

    private void onDeadline(long outageBeganNanos) {
        Status status = state.overdue(outageBeganNanos);
        if (status != null) {
            giveUpCounted(status);
        }
    }

    private boolean mayReconnect(Status status) {
        return StreamStatus.isBreak(status) && !backends.settings().reconnectTimeout().isZero();
    }
}
