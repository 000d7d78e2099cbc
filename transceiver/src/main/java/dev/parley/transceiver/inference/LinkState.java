package dev.parley.transceiver.inference;

import io.grpc.Status;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which stream carries a call, which one is being opened, and what has been tried. Decides and does
 * nothing: the call's {@link InferenceLink}, which owns it, acts. Any thread may enter.
 *
 * <p>OPENING until the first stream is accepted; TALKING with a stream; LOST without one; OVER.
 */
final class LinkState {
    private enum Phase {
        OPENING,
        TALKING,
        LOST,
        OVER
    }

    /** What a stream that was accepted is to the call. */
    enum Acceptance {
        UNWANTED,
        FIRST,
        MOVES,
        RESUMES
    }

    /** What a stream was to the call when it closed. */
    enum Role {
        NONE,
        OPENING,
        CURRENT,
        LAST
    }

    /**
     * Whether a stream is wanted, and the one that is to be opened.
     *
     * @param leg null when there is nobody to ask
     */
    record Next(boolean wanted, @Nullable Leg leg) {
        private static final Next UNWANTED = new Next(false, null);
    }

    /** What is left to be ended: the stream that was being opened, and the one that talked. */
    record Left(@Nullable Leg begun, @Nullable InferenceStream talking) {}

    /**
     * A new stream was refused.
     *
     * @param lost whether the call has none
     * @param stays the one that carries it, which was to be left
     */
    record Refused(boolean lost, @Nullable Leg stays) {}

    /** Streams that carried the call, and why the last one does no more. */
    record Before(int streams, String reason) {}

    /** A new call's caller is waiting. */
    private static final long ASK_AGAIN_MILLIS = 20;

    private final Set<Replica> tried = new HashSet<>();
    private final Outage outage;
    private Phase phase = Phase.OPENING;
    private @Nullable Leg current;
    private @Nullable Leg opening;
    private boolean readWanted;
    private boolean moveWanted;
    private boolean askedAgain;
    private int streams;
    private Status refusal = Status.UNAVAILABLE.withDescription("no address of it is known");

    LinkState(Outage outage) {
        this.outage = outage;
    }

    // --- while a stream carries it

    synchronized @Nullable InferenceStream stream() {
        return current == null ? null : current.stream();
    }

    /** One more message may come; answers the stream to be asked, if there is one. */
    synchronized @Nullable InferenceStream wantRead() {
        readWanted = true;
        return stream();
    }

    synchronized boolean wantsRead() {
        return readWanted;
    }

    /** Whether a message of this stream is for the call; it is the one that was asked for. */
    synchronized boolean hears(Leg leg) {
        if (current != leg) {
            return false;
        }
        readWanted = false;
        return true;
    }

    /** The backend of this stream wants to stop; whether that is news. */
    synchronized boolean wantMove(Leg leg) {
        if (current != leg || moveWanted || phase != Phase.TALKING) {
            return false;
        }
        moveWanted = true;
        return true;
    }

    // --- while one is opened

    /**
     * Begins the next stream of a call that has none.
     *
     * @param find makes one to a replica that is none of those tried
     */
    synchronized Next next(Function<Set<Replica>, @Nullable Leg> find) {
        if ((phase != Phase.OPENING && phase != Phase.LOST) || opening != null) {
            return Next.UNWANTED;
        }
        opening = find.apply(tried);
        if (opening != null) {
            tried.add(opening.replica());
        }
        return new Next(true, opening);
    }

    /**
     * Begins a stream beside the one that is to be left.
     *
     * @param find makes one to another replica than the one given
     */
    synchronized Next move(Leg from, Function<Set<Replica>, @Nullable Leg> find) {
        if (current != from || phase != Phase.TALKING || opening != null) {
            return Next.UNWANTED;
        }
        opening = find.apply(Set.of(from.replica()));
        return new Next(true, opening);
    }

    /** What went before the stream that is being opened; null for the first one. */
    synchronized @Nullable Before before() {
        int before = streams + (current == null ? 0 : 1);
        if (before == 0) {
            return null;
        }
        return new Before(
                before,
                current == null ? StreamStatus.describe(refusal) : "its replica wants to stop");
    }

    synchronized boolean awaits(Leg leg) {
        return opening == leg;
    }

    /** A stream was accepted; the first one carries the call from now on. */
    synchronized Acceptance accept(Leg leg) {
        if (opening != leg) {
            return Acceptance.UNWANTED;
        }
        return switch (phase) {
            case OPENING -> {
                take(leg);
                yield Acceptance.FIRST;
            }
            case TALKING -> Acceptance.MOVES;
            case LOST -> Acceptance.RESUMES;
            case OVER -> Acceptance.UNWANTED;
        };
    }

    /** An accepted stream carries the call instead of another one; answers that, null for none. */
    synchronized @Nullable Leg replace(Leg leg) {
        Leg from = current;
        if (opening != leg || phase != Phase.TALKING || from == null) {
            return null;
        }
        streams++;
        take(leg);
        return from;
    }

    /** An accepted stream carries the call that had none; whether it is still wanted. */
    synchronized boolean resume(Leg leg) {
        if (opening != leg || phase != Phase.LOST) {
            return false;
        }
        take(leg);
        return true;
    }

    private void take(Leg leg) {
        opening = null;
        current = leg;
        phase = Phase.TALKING;
        moveWanted = false;
        tried.clear();
    }

    // --- when one is gone

    /** Nothing more comes of a stream; answers what it was. */
    synchronized Role close(Leg leg) {
        if (opening == leg) {
            opening = null;
            return Role.OPENING;
        }
        if (current == leg) {
            current = null;
            streams++;
            return phase == Phase.OVER ? Role.LAST : Role.CURRENT;
        }
        return Role.NONE;
    }

    /** A stream that was being opened was not accepted. */
    synchronized Refused refuse(Status status) {
        // That a replica is full says more than that another one is down.
        if (refusal.getCode() != Status.Code.RESOURCE_EXHAUSTED || StreamStatus.isVerdict(status)) {
            refusal = status;
        }
        return new Refused(phase == Phase.LOST, phase == Phase.TALKING ? current : null);
    }

    /** All have been asked; answers in how many milliseconds to ask them again, 0 for never. */
    synchronized long nobodyLeft() {
        boolean anyTried = !tried.isEmpty();
        tried.clear();
        if (phase == Phase.LOST) {
            return outage.backoffMillis();
        }
        return phase == Phase.OPENING && anyTried && mayAskAgain() ? ASK_AGAIN_MILLIS : 0;
    }

    /** What is opened on a connection that is just being closed says nothing of its replica. */
    private boolean mayAskAgain() {
        boolean may = !askedAgain && refusal.getCode() == Status.Code.UNAVAILABLE;
        askedAgain |= may;
        return may;
    }

    /**
     * The stream that carried the call broke; answers how many milliseconds to wait before another
     * one is looked for, 0 when this is the beginning of an outage.
     */
    synchronized long lose(Leg leg, Status status, long nowNanos) {
        phase = Phase.LOST;
        refusal = status;
        tried.clear();
        tried.add(leg.replica());
        return outage.begin(nowNanos) ? 0 : outage.backoffMillis();
    }

    /** Why no stream is had, if that has been so since the outage that began then. */
    synchronized @Nullable Status overdue(long outageBeganNanos) {
        return isLost() && outage.beganNanos() == outageBeganNanos ? refusal : null;
    }

    synchronized long outageNanos(long nowNanos) {
        return nowNanos - outage.beganNanos();
    }

    synchronized boolean isLost() {
        return phase == Phase.LOST;
    }

    synchronized Status refusal() {
        return refusal;
    }

    // --- its end

    synchronized boolean isOver() {
        return phase == Phase.OVER;
    }

    /** Nothing is opened any more, and whoever hears of it ends what is left. */
    synchronized void over() {
        phase = Phase.OVER;
    }

    /** Nothing is opened any more; answers what is left to be ended, null when that was done. */
    synchronized @Nullable Left giveUp() {
        return phase == Phase.OVER ? null : finish();
    }

    /** Nothing is opened any more; answers what is left to be ended. */
    synchronized Left finish() {
        phase = Phase.OVER;
        Leg begun = opening;
        opening = null;
        return new Left(begun, stream());
    }
}
