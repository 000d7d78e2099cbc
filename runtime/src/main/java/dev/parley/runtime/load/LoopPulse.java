package dev.parley.runtime.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Shows whether a packet loop is at work or waits. The loop's thread, which owns it, notes where
 * each turn begins and ends, which costs a store and nothing else; any thread may look.
 */
public final class LoopPulse {
    private static final VarHandle TURN;

    static {
        try {
            TURN = MethodHandles.lookup().findVarHandle(LoopPulse.class, "turn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Odd within a turn, even between two.
    private long turn;

    /** A turn begins. */
    public void begin() {
        TURN.setOpaque(this, (turn + 2) | 1);
    }

    /** It has ended: the loop waits for its next one. */
    public void end() {
        TURN.setOpaque(this, (turn + 1) & ~1L);
    }

    /** Tells one turn, and the wait behind it, from another. */
    long turn() {
        return (long) TURN.getOpaque(this);
    }

    static boolean isAtWork(long turn) {
        return (turn & 1) == 1;
    }
}
