package dev.parley.transceiver.media;

import java.util.Arrays;

/**
 * What one session knows of its missing packets: since when each is missed, which were asked for
 * again, and from how all that ended, how long the next one is worth waiting for. Owned by the
 * session's {@link ReorderBuffer}.
 */
public final class Gaps {
    /** Packets remembered; a gap that is still open when they have passed is a loss. */
    private static final int MEMORY = 64;

    /** A client that answers less than this share of requests is not asked any more. */
    private static final double MIN_ANSWERED = 0.3;

    /** A retransmission is only waited for when it comes more often than not. */
    private static final double MIN_WORTH_WAITING = 0.5;

    private static final double FADE = 0.9;
    private static final long MARGIN_NANOS = 10_000_000L;

    /** With a coarse copy at hand a retransmission must be quicker than this. */
    private static final long MAX_REPAIRABLE_NANOS = 30_000_000L;

    private enum State {
        CLOSED,
        MISSED,
        REQUESTED,
        COPIED
    }

    private final long maxWaitNanos;
    private final ReorderWait wait;
    private final State[] states = new State[MEMORY];
    private final long[] sinceNanos = new long[MEMORY];
    private final long[] copies = new long[MEMORY];
    private boolean started;
    private long highest;
    private boolean retransmits;
    private long roundTripNanos = -1;
    private double answered = 1;
    private long requests;
    private long retransmitted;
    private boolean requestPending;
    private long requestFirst;
    private int requestFollowing;

    Gaps(long maxWaitNanos) {
        this.maxWaitNanos = maxWaitNanos;
        this.wait = new ReorderWait(maxWaitNanos);
        Arrays.fill(states, State.CLOSED);
    }

    /** The client sends packets again when asked to. */
    public void enableRequests() {
        retransmits = true;
    }

    /** Tells how long a request and its answer take. */
    public void roundTrip(long nanos) {
        roundTripNanos = nanos;
    }

    /** Notes a packet, and with it those that it shows to be missing. */
    void received(long sequence, long nowNanos) {
        if (!started) {
            started = true;
            highest = sequence;
            return;
        }
        if (sequence <= highest) {
            close(sequence, nowNanos);
            return;
        }
        if (sequence - highest > ReorderBuffer.SLOTS) {
            // An outage, not a gap: nobody waits for what it has taken, and it teaches nothing
            // about
            // the next one.
            Arrays.fill(states, State.CLOSED);
            highest = sequence;
            return;
        }
        boolean request = retransmits && retransmissionNanos() <= maxWaitNanos;
        for (long missed = highest + 1; missed < sequence; missed++) {
            open(missed, request, nowNanos);
        }
        forget(sequence);
        states[slot(sequence)] = State.CLOSED;
        highest = sequence;
    }

    private void open(long sequence, boolean request, long nowNanos) {
        if (isCopied(sequence)) {
            return;
        }
        forget(sequence);
        states[slot(sequence)] = request && request(sequence) ? State.REQUESTED : State.MISSED;
        sinceNanos[slot(sequence)] = nowNanos;
    }

    /** Answers whether the packet is asked for: there is room for a few of a long gap. */
    private boolean request(long sequence) {
        long ahead = sequence - requestFirst;
        if (!requestPending) {
            requestPending = true;
            requestFirst = sequence;
            requestFollowing = 0;
        } else if (ahead > 0 && ahead <= Short.SIZE) {
            // RFC 4585 6.2.1: bit i stands for the packet i + 1 after the first.
            requestFollowing |= 1 << (ahead - 1);
        } else {
            return false;
        }
        requests++;
        return true;
    }

    /** What stood in the packet's place before is not waited for any more. */
    private void forget(long sequence) {
        switch (states[slot(sequence)]) {
            case MISSED -> wait.neverCame();
            case REQUESTED -> {
                wait.neverCame();
                answered *= FADE;
            }
            case CLOSED, COPIED -> {}
        }
    }

    private void close(long sequence, long nowNanos) {
        if (highest - sequence >= MEMORY) {
            return;
        }
        int slot = slot(sequence);
        long after = nowNanos - sinceNanos[slot];
        State state = states[slot];
        if (state == State.REQUESTED && after >= roundTripNanos - roundTripNanos / 4) {
            answered = answered * FADE + 1 - FADE;
            retransmitted++;
            states[slot] = State.CLOSED;
        } else if (state == State.MISSED || state == State.REQUESTED) {
            wait.came(after);
            states[slot] = State.CLOSED;
        }
    }

    /** Notes that a copy has taken the packet's place. */
    void copied(long sequence) {
        forget(sequence);
        states[slot(sequence)] = State.COPIED;
        copies[slot(sequence)] = sequence;
    }

    /** Whether a copy has taken the packet's place. */
    boolean isCopied(long sequence) {
        return states[slot(sequence)] == State.COPIED && copies[slot(sequence)] == sequence;
    }

    /**
     * How long to wait for a missing packet from when it was missed, 0 for not at all.
     *
     * @param repairable whether the packet after it carries a coarse copy of it
     */
    long waitNanos(long sequence, boolean repairable) {
        long swap = wait.nanos(repairable);
        if (states[slot(sequence)] != State.REQUESTED || answered < MIN_WORTH_WAITING) {
            return swap;
        }
        long retransmission = retransmissionNanos();
        boolean pays =
                retransmission <= maxWaitNanos
                        && (!repairable || retransmission <= MAX_REPAIRABLE_NANOS);
        return pays ? Math.max(swap, retransmission) : swap;
    }

    private long retransmissionNanos() {
        boolean answers = roundTripNanos >= 0 && answered >= MIN_ANSWERED;
        return answers ? roundTripNanos + roundTripNanos / 4 + MARGIN_NANOS : Long.MAX_VALUE;
    }

    /** Forgets everything about the packets so far, as after an SSRC change. */
    void restart() {
        started = false;
        requestPending = false;
        Arrays.fill(states, State.CLOSED);
    }

    /** Whether packets are to be asked for: {@link #requestFirst}, {@link #requestFollowing}. */
    public boolean requestPending() {
        return requestPending;
    }

    /** Sequence number of the first packet to ask for. */
    public int requestFirst() {
        return (int) requestFirst & 0xFFFF;
    }

    /** Those after it, as RFC 4585 6.2.1 has them. */
    public int requestFollowing() {
        return requestFollowing;
    }

    /** The request has been sent. */
    public void requested() {
        requestPending = false;
    }

    /** Packets asked for. */
    public long requests() {
        return requests;
    }

    /** Packets that came again. */
    public long retransmitted() {
        return retransmitted;
    }

    private static int slot(long sequence) {
        return (int) (sequence & (MEMORY - 1));
    }
}
