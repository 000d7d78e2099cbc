package dev.parley.transceiver.media;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts input packets in order. A packet in order passes at once and uncopied; one that is ahead
 * waits for the missing ones, but never longer than the given time and never with more than a few
 * waiting. Owned by one session; its slots are allocated when packets first come out of order.
 */
public final class ReorderBuffer {
    /** A packet further ahead than this ends the wait for all that is missing. */
    private static final int SLOTS = 16;

    /** What became of a packet. */
    public enum Verdict {
        /** It was next, or the wait for those before it is over: it has been passed on. */
        PASSED,
        /** It waits for a missing one. */
        HELD,
        /** Its turn is over. */
        LATE,
        /** It waits already. */
        DUPLICATE
    }

    /** Takes packets in order. */
    public interface Output {
        /**
         * The next packet.
         *
         * @param missing packets between the last one passed and this one that never came in time
         * @param audioLevel the RFC 6464 byte, or -1
         * @param bytes holds the payload; valid during the call
         */
        void packet(
                long sequence,
                int timestamp,
                int missing,
                int audioLevel,
                ByteBuffer bytes,
                int offset,
                int length,
                long nowNanos);
    }

    private final int maxHeld;
    private final long maxWaitNanos;
    private final Output output;
    private final @Nullable Slot[] slots = new Slot[SLOTS];
    private boolean started;
    private long expected;
    private int missing;
    private int held;
    private long deadlineNanos;

    /**
     * @param maxHeld packets that may wait; one more ends the wait
     * @param maxWaitNanos longest wait for a missing packet
     */
    public ReorderBuffer(int maxHeld, long maxWaitNanos, Output output) {
        if (maxHeld < 1 || maxHeld >= SLOTS) {
            throw new IllegalArgumentException("1.." + (SLOTS - 1) + " packets may wait");
        }
        this.maxHeld = maxHeld;
        this.maxWaitNanos = maxWaitNanos;
        this.output = output;
    }

    /** Takes a packet that has been authenticated and was not seen before. */
    public Verdict accept(
            long sequence,
            int timestamp,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        if (!started) {
            started = true;
            expected = sequence;
        }
        long ahead = sequence - expected;
        if (ahead < 0) {
            return Verdict.LATE;
        }
        if (ahead >= SLOTS) {
            flush(nowNanos);
            missing += (int) Math.min(sequence - expected, Integer.MAX_VALUE);
            expected = sequence;
        }
        if (sequence == expected) {
            pass(sequence, timestamp, audioLevel, bytes, offset, length, nowNanos);
            passHeld(nowNanos);
            return Verdict.PASSED;
        }
        return hold(sequence, timestamp, audioLevel, bytes, offset, length, nowNanos);
    }

    /** Whether a packet waits, so that {@link #deadlineNanos} means something. */
    public boolean waiting() {
        return held > 0;
    }

    /** When to call {@link #onDeadline}. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Gives up what is missing if its time is over. */
    public void onDeadline(long nowNanos) {
        if (held > 0 && deadlineNanos - nowNanos <= 0) {
            skipGap(nowNanos);
        }
    }

    /** Passes on all that waits and starts anew with the next packet, as after an SSRC change. */
    public void restart(long nowNanos) {
        flush(nowNanos);
        started = false;
        missing = 0;
    }

    private Verdict hold(
            long sequence,
            int timestamp,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        Slot slot = slot(sequence);
        if (slot.full) {
            return Verdict.DUPLICATE;
        }
        slot.fill(timestamp, audioLevel, bytes, offset, length);
        held++;
        if (held == 1) {
            deadlineNanos = nowNanos + maxWaitNanos;
        }
        if (held < maxHeld) {
            return Verdict.HELD;
        }
        skipGap(nowNanos);
        return Verdict.PASSED;
    }

    private void flush(long nowNanos) {
        while (held > 0) {
            skipGap(nowNanos);
        }
    }

    private void skipGap(long nowNanos) {
        while (!slot(expected).full) {
            expected++;
            missing++;
        }
        passHeld(nowNanos);
    }

    private void passHeld(long nowNanos) {
        while (held > 0 && slot(expected).full) {
            Slot slot = slot(expected);
            slot.full = false;
            held--;
            pass(expected, slot.timestamp, slot.audioLevel, slot.bytes, 0, slot.length, nowNanos);
        }
        if (held > 0) {
            deadlineNanos = nowNanos + maxWaitNanos;
        }
    }

    private void pass(
            long sequence,
            int timestamp,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        int missingBefore = missing;
        missing = 0;
        expected = sequence + 1;
        output.packet(
                sequence, timestamp, missingBefore, audioLevel, bytes, offset, length, nowNanos);
    }

    private Slot slot(long sequence) {
        int index = (int) (sequence & (SLOTS - 1));
        Slot slot = slots[index];
        if (slot == null) {
            slot = new Slot();
            slots[index] = slot;
        }
        return slot;
    }

    private static final class Slot {
        private ByteBuffer bytes = ByteBuffer.allocate(0);
        private boolean full;
        private int timestamp;
        private int audioLevel;
        private int length;

        void fill(int timestamp, int audioLevel, ByteBuffer from, int offset, int length) {
            if (bytes.capacity() < length) {
                bytes = ByteBuffer.allocate(Math.max(length, 256));
            }
            bytes.put(0, from, offset, length);
            this.timestamp = timestamp;
            this.audioLevel = audioLevel;
            this.length = length;
            this.full = true;
        }
    }
}
