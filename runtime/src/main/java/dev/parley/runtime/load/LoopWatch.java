package dev.parley.runtime.load;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Watches that packet loops come to the end of their turns: tells of those that held packets up,
 * and when a loop stands still as if for good. It looks from a thread of its own, which runs also
 * when loops have taken all carriers. Owned by the service whose loops they are.
 */
public final class LoopWatch implements AutoCloseable {
    static final long LOOK_NANOS = 10_000_000L;

    /** Half of a packet's time: longer turns are heard. */
    static final long STALL_NANOS = 10_000_000L;

    /** No turn takes so long, however much there is to do. */
    static final long STANDSTILL_NANOS = 5_000_000_000L;

    /** A watch that was held up so long itself has nothing to say about others. */
    static final long BLIND_NANOS = 3 * LOOK_NANOS;

    private final List<LoopPulse> loops;
    private final long[] turns;
    private final long[] sinceNanos;
    private final LongConsumer onStall;
    private final Consumer<Boolean> onStandstill;
    private long lookedNanos;
    private volatile boolean standing;
    private volatile boolean closed;

    LoopWatch(
            List<LoopPulse> loops,
            LongConsumer onStall,
            Consumer<Boolean> onStandstill,
            long nowNanos) {
        this.loops = List.copyOf(loops);
        this.turns = new long[loops.size()];
        this.sinceNanos = new long[loops.size()];
        this.onStall = onStall;
        this.onStandstill = onStandstill;
        begin(nowNanos);
    }

    /**
     * Watches until closed.
     *
     * @param onStall told how many nanoseconds at least a turn took that was too long
     * @param onStandstill told when a loop stands still, and when all turn again
     */
    public static LoopWatch start(
            List<LoopPulse> loops, LongConsumer onStall, Consumer<Boolean> onStandstill) {
        LoopWatch watch = new LoopWatch(loops, onStall, onStandstill, System.nanoTime());
        Thread.ofPlatform().daemon().name("loop-watch").start(watch::run);
        return watch;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            look(System.nanoTime());
        }
    }

    private void begin(long nowNanos) {
        lookedNanos = nowNanos;
        for (int i = 0; i < turns.length; i++) {
            turns[i] = loops.get(i).turn();
            sinceNanos[i] = nowNanos;
        }
    }

    void look(long nowNanos) {
        if (nowNanos - lookedNanos > BLIND_NANOS) {
            begin(nowNanos);
            return;
        }
        boolean any = false;
        for (int i = 0; i < turns.length; i++) {
            any |= look(i, nowNanos);
        }
        lookedNanos = nowNanos;
        if (any != standing) {
            standing = any;
            onStandstill.accept(any);
        }
    }

    /** Whether the loop stands still. */
    private boolean look(int loop, long nowNanos) {
        long turn = loops.get(loop).turn();
        if (turn == turns[loop]) {
            return LoopPulse.isAtWork(turn) && nowNanos - sinceNanos[loop] >= STANDSTILL_NANOS;
        }
        // From the first look that saw the turn to the last one: it took that long at least.
        long took = lookedNanos - sinceNanos[loop];
        if (LoopPulse.isAtWork(turns[loop]) && took >= STALL_NANOS) {
            onStall.accept(took);
        }
        turns[loop] = turn;
        sinceNanos[loop] = nowNanos;
        return false;
    }

    /** Whether a loop stands still. */
    public boolean isStanding() {
        return standing;
    }

    @Override
    public void close() {
        closed = true;
    }
}
