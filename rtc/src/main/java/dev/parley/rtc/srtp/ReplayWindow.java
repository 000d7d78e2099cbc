package dev.parley.rtc.srtp;

import java.util.Arrays;

/**
 * Which of the last {@link #SIZE} packet indices of one source were accepted, RFC 3711 3.3.2.
 * Belongs to one {@link SrtpSource}.
 */
final class ReplayWindow {
    /**
     * Indices remembered. RFC 3711 wants at least 64; this is twenty seconds of 20 ms audio, so
     * that no delay a call survives turns a late packet into a dropped one.
     */
    static final int SIZE = 1024;

    private static final long NONE = -1;

    private final long[] accepted = new long[SIZE / Long.SIZE];
    private long highest = NONE;

    /** Forgets everything. */
    void reset() {
        Arrays.fill(accepted, 0);
        highest = NONE;
    }

    boolean isEmpty() {
        return highest == NONE;
    }

    /** The highest index accepted so far. */
    long highest() {
        return highest;
    }

    /** Zero when this index may be accepted, else a verdict's code. */
    int refusal(long index) {
        if (index > highest) {
            return 0;
        }
        if (index <= highest - SIZE) {
            return SrtpVerdict.TOO_OLD.code();
        }
        boolean seen = (accepted[wordIndex(index)] & 1L << index) != 0;
        return seen ? SrtpVerdict.REPLAYED.code() : 0;
    }

    /** Marks as accepted an index without a {@link #refusal}. */
    void accept(long index) {
        if (index > highest) {
            forgetBetween(highest, index);
            highest = index;
        }
        accepted[wordIndex(index)] |= 1L << index;
    }

    // The bits of the indices just entering the window still tell of those that leave it.
    private void forgetBetween(long from, long to) {
        if (to - from >= SIZE) {
            Arrays.fill(accepted, 0);
            return;
        }
        for (long index = from + 1; index <= to; index++) {
            accepted[wordIndex(index)] &= ~(1L << index);
        }
    }

    private static int wordIndex(long index) {
        return (int) (index >>> 6) & SIZE / Long.SIZE - 1;
    }
}
