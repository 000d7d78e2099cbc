package dev.parley.transceiver.session;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The processors that set calls up: at most so many threads compute for set-ups at a time, the
 * others wait for their turn, so that media loops, and those who are to be refused, find a
 * processor whatever comes. Knows from calls before what one costs, and so which one would have to
 * wait too long: it is refused before anything is done for it. Shared by all threads.
 *
 * <p>What was let in is counted as a queue that the processors work off (a virtual queue, as in
 * Kunniyur and Srikant's AVQ). How long set-ups take is no measure: that is up to clients' networks
 * and to models, which may be slow while the processors are idle.
 */
public final class SetupWork {
    /** A call that cost more or less than others counts as one of so many. */
    private static final int SMOOTHING = 8;

    /**
     * Callers who come all at once may wait this many times as long as those who come without end:
     * refusing them would spare nobody, for soon nothing is left to do.
     */
    private static final int BURST = 4;

    /** One part of so many is left for calls that cost more than those before. */
    private static final int HEADROOM = 4;

    /** How long work lies ahead, or does not, before callers are thought to come without end. */
    private static final long INTERVAL_NANOS = 500_000_000L;

    private final int workers;
    private final long maxDelayNanos;
    private final LongSupplier clock;
    private final Semaphore turns;
    private final LongAdder refused = new LongAdder();
    // Guarded by this.
    private long callNanos;
    private long turnNanos;
    private long aheadNanos;
    private long asOfNanos;
    private boolean late;
    private long lateSinceNanos;
    private boolean standing;

    /**
     * @param workers threads that may compute at a time
     * @param maxDelayNanos work that may lie ahead of a call that is let in while callers come
     *     without end; 0 lets all in
     * @param callNanos what a call is thought to cost before any was set up
     * @param clock monotonic nanoseconds
     */
    public SetupWork(int workers, long maxDelayNanos, long callNanos, LongSupplier clock) {
        this.workers = workers;
        this.maxDelayNanos = maxDelayNanos;
        this.callNanos = callNanos;
        this.clock = clock;
        this.asOfNanos = clock.getAsLong();
        // Fair: who came first has the more impatient client.
        this.turns = new Semaphore(workers, true);
    }

    /** That of a process which has all the processors in the world. */
    public static SetupWork unbounded() {
        return new SetupWork(Integer.MAX_VALUE, 0, 0, () -> 0);
    }

    /**
     * Processors of a machine that set-ups may have: half of them. About as much as in turns is
     * done for a call around them, by gRPC, codecs and the collector, and media comes first.
     */
    public static int workersOf(int processors) {
        return Math.max(1, processors / 2);
    }

    /** Whether one more call may be set up now, which is then counted. */
    public synchronized boolean admit() {
        if (pressure() > 1) {
            refused.increment();
            return false;
        }
        aheadNanos += callNanos + callNanos / HEADROOM;
        return true;
    }

    /**
     * Work that lies ahead of a new call, as a share of what may; above 1 it is refused. A call
     * that finds nothing ahead is taken whatever it costs.
     */
    public synchronized double pressure() {
        if (maxDelayNanos == 0) {
            return 0;
        }
        long nowNanos = clock.getAsLong();
        long doneNanos = Math.max(0, nowNanos - asOfNanos) * workers;
        aheadNanos = Math.max(0, aheadNanos - doneNanos);
        asOfNanos = nowNanos;
        // By the clock it may be done and yet wait, when the processors are somebody else's.
        long waitingNanos = Math.max(aheadNanos, turns.getQueueLength() * turnNanos);
        long delayNanos = waitingNanos / workers;
        judge(delayNanos, nowNanos);
        return (double) delayNanos / maxDelayNanos / (standing ? 1 : BURST);
    }

    // As CoDel tells a burst from a queue that stands (RFC 8289 3.1). Once it stood, it has to be
    // gone for as long: while calls are refused it is never far below what may be.
    private void judge(long delayNanos, long nowNanos) {
        boolean wasLate = late;
        late = delayNanos > maxDelayNanos;
        if (late != wasLate) {
            lateSinceNanos = nowNanos;
        }
        if (delayNanos == 0) {
            standing = false;
        } else if (nowNanos - lateSinceNanos >= INTERVAL_NANOS) {
            standing = late;
        }
    }

    /** Calls that were refused. */
    public long refused() {
        return refused.sum();
    }

    /** What a call costs, by those before. */
    synchronized long callNanos() {
        return callNanos;
    }

    /** A call's share of the work. */
    public Share share() {
        return new Share();
    }

    private synchronized void countCall(long usedNanos) {
        callNanos += (usedNanos - callNanos) / SMOOTHING;
    }

    private synchronized void countTurn(long usedNanos) {
        turnNanos += (usedNanos - turnNanos) / SMOOTHING;
    }

    /** What one call takes, on whichever threads. */
    public final class Share {
        private final AtomicLong usedNanos = new AtomicLong();
        private final AtomicBoolean over = new AtomicBoolean();

        private Share() {}

        /** Waits until it is the calling thread's turn to compute. */
        public Turn takeTurn() {
            Turn turn = new Turn(this);
            turn.resume();
            return turn;
        }

        /**
         * The call is set up: that is what one costs. Who gives up on the way, or offers nonsense,
         * says nothing about those that do not. Calling it again does nothing.
         */
        public void done() {
            if (over.compareAndSet(false, true)) {
                countCall(usedNanos.get());
            }
        }
    }

    /** One thread's turn to compute; that thread alone uses it. */
    public final class Turn implements AutoCloseable {
        private final Share share;
        private boolean held;
        private long beganNanos;

        private Turn(Share share) {
            this.share = share;
        }

        /** Lets others have it, while there is nothing to compute. */
        public void pause() {
            if (held) {
                held = false;
                long used = clock.getAsLong() - beganNanos;
                turns.release();
                share.usedNanos.addAndGet(used);
                countTurn(used);
            }
        }

        /** Waits for the next. */
        public void resume() {
            turns.acquireUninterruptibly();
            held = true;
            beganNanos = clock.getAsLong();
        }

        @Override
        public void close() {
            pause();
        }
    }
}
