package dev.parley.transceiver.media;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts input packets in order. A packet in order passes at once and uncopied; one that is ahead
 * waits for the missing ones for as long as {@link ReorderWait} or a retransmission makes it pay,
 * and never longer than the given time. Owned by one session; its slots are allocated when packets
 * first come out of order.
 */
public final class ReorderBuffer {
    /** What a packet carries. */
    public enum Kind {
        /** Audio as its sender sent it. */
        VOICE,
        /** Audio that is a copy out of another packet. */
        COPY,
        /** A telephone event. */
        EVENT
    }

    /** What became of a packet. */
    public enum Verdict {
        /** It was next, or the wait for those before it is over: it has been passed on. */
        PASSED,
        /** It waits for a missing one. */
        HELD,
        /** Its turn is over. */
        LATE,
        /** It waits already, or a copy of it did. */
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
         * @param arrivalNanos when it came
         */
        void packet(
                long sequence,
                int timestamp,
                Kind kind,
                int missing,
                int audioLevel,
                ByteBuffer bytes,
                int offset,
                int length,
                long arrivalNanos);
    }

    /** A packet further ahead than this ends the wait for all that is missing. */
    static final int SLOTS = 32;

    private final Output output;
    private final Gaps gaps;
    private final @Nullable Slot[] slots = new Slot[SLOTS];
    private boolean started;
    private long expected;
    private int missing;
    private int lastTimestamp;
    private int held;
    private long heldSinceNanos;
    private boolean repairable;
    private long deadlineNanos;

    /**
     * @param maxWaitNanos longest wait for a missing packet
     */
    public ReorderBuffer(long maxWaitNanos, Output output) {
        this.gaps = new Gaps(maxWaitNanos);
        this.output = output;
    }

    /** What is known of missing packets. */
    Gaps gaps() {
        return gaps;
    }

    /**
     * Takes a packet that has been authenticated and was not seen before.
     *
     * @param repairs whether it carries a coarse copy of the packet before it
     */
    public Verdict accept(
            long sequence,
            int timestamp,
            Kind kind,
            boolean repairs,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        if (!started) {
            started = true;
            expected = sequence;
        }
        gaps.received(sequence, nowNanos);
        long ahead = sequence - expected;
        if (ahead < 0) {
            return gaps.isCopied(sequence) ? Verdict.DUPLICATE : Verdict.LATE;
        }
        if (ahead >= SLOTS) {
            flush();
            missing += (int) Math.min(sequence - expected, Integer.MAX_VALUE);
            expected = sequence;
        }
        if (sequence == expected) {
            pass(sequence, timestamp, kind, audioLevel, bytes, offset, length, nowNanos);
            passHeld(nowNanos);
            return Verdict.PASSED;
        }
        Slot slot = slot(sequence);
        if (slot.full) {
            return Verdict.DUPLICATE;
        }
        slot.fill(timestamp, kind, audioLevel, bytes, offset, length, nowNanos);
        held++;
        if (held == 1) {
            heldSinceNanos = nowNanos;
        }
        if (ahead == 1 && repairs) {
            repairable = true;
        }
        hold(nowNanos);
        return held == 0 ? Verdict.PASSED : Verdict.HELD;
    }

    /**
     * Takes a copy of an earlier packet, found in the packet {@code carrier} that is accepted next;
     * of several the newest first. RFC 2198 names it by its timestamp alone, so it is taken for the
     * last one before the carrier that is missing or has that timestamp.
     *
     * @return whether it fills a gap
     */
    public boolean acceptCopy(
            long carrier, int timestamp, ByteBuffer bytes, int offset, int length, long nowNanos) {
        // RFC 3550 5.1: timestamps wrap; the difference of two is signed.
        if (!started || carrier - expected >= SLOTS || timestamp - lastTimestamp <= 0) {
            return false;
        }
        long sequence = carrier - 1;
        while (sequence >= expected && slot(sequence).full) {
            if (slot(sequence).timestamp - timestamp <= 0) {
                return false;
            }
            sequence--;
        }
        if (sequence < expected) {
            return false;
        }
        gaps.copied(sequence);
        if (sequence == expected) {
            pass(sequence, timestamp, Kind.COPY, -1, bytes, offset, length, nowNanos);
            if (held > 0 && slot(expected).full) {
                drain();
            }
            return true;
        }
        // What is missing before it may be the next copy: the carrier decides about the wait.
        slot(sequence).fill(timestamp, Kind.COPY, -1, bytes, offset, length, nowNanos);
        held++;
        if (held == 1) {
            heldSinceNanos = nowNanos;
        }
        return true;
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
        while (held > 0 && deadlineNanos - nowNanos <= 0) {
            skipGap();
            hold(nowNanos);
        }
    }

    /** Passes on all that waits and starts anew with the next packet, as after an SSRC change. */
    public void restart() {
        flush();
        started = false;
        missing = 0;
        gaps.restart();
    }

    /** Sets the deadline anew; gives up at once what it does not pay to wait for. */
    private void hold(long nowNanos) {
        while (held > 0) {
            deadlineNanos = heldSinceNanos + gaps.waitNanos(expected, repairable);
            if (deadlineNanos - nowNanos > 0) {
                return;
            }
            skipGap();
        }
    }

    private void flush() {
        while (held > 0) {
            skipGap();
        }
    }

    private void skipGap() {
        while (!slot(expected).full) {
            expected++;
            missing++;
        }
        drain();
    }

    private void passHeld(long nowNanos) {
        if (held > 0 && slot(expected).full) {
            drain();
        }
        hold(nowNanos);
    }

    private void drain() {
        while (held > 0 && slot(expected).full) {
            Slot slot = slot(expected);
            slot.full = false;
            held--;
            pass(
                    expected,
                    slot.timestamp,
                    slot.kind,
                    slot.audioLevel,
                    slot.bytes,
                    0,
                    slot.length,
                    slot.arrivalNanos);
        }
        repairable = false;
        if (held > 0) {
            // The next gap was seen when the first of those behind it came.
            long sequence = expected;
            while (!slot(sequence).full) {
                sequence++;
            }
            heldSinceNanos = slot(sequence).arrivalNanos;
        }
    }

    private void pass(
            long sequence,
            int timestamp,
            Kind kind,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long arrivalNanos) {
        int missingBefore = missing;
        missing = 0;
        expected = sequence + 1;
        lastTimestamp = timestamp;
        output.packet(
                sequence,
                timestamp,
                kind,
                missingBefore,
                audioLevel,
                bytes,
                offset,
                length,
                arrivalNanos);
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
        private Kind kind = Kind.VOICE;
        private int audioLevel;
        private int length;
        private long arrivalNanos;

        void fill(
                int timestamp,
                Kind kind,
                int audioLevel,
                ByteBuffer from,
                int offset,
                int length,
                long arrivalNanos) {
            if (bytes.capacity() < length) {
                bytes = ByteBuffer.allocate(Math.max(length, 256));
            }
            bytes.put(0, from, offset, length);
            this.timestamp = timestamp;
            this.kind = kind;
            this.audioLevel = audioLevel;
            this.length = length;
            this.arrivalNanos = arrivalNanos;
            this.full = true;
        }
    }
}
