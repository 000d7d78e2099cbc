package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.TelephoneEventReader;
import java.nio.ByteBuffer;

/**
 * Makes one press of a key out of the many packets that tell of it, RFC 4733 2.5. Owned by one
 * session's input; allocates nothing.
 *
 * <p>A press is known by its RTP timestamp. It is over with the first packet that has the E bit; if
 * all three of those are lost, with the next press, or when nothing was heard of it for a while.
 */
final class TelephoneKeys {
    /** Hears of keys. */
    interface Listener {
        /**
         * A key was pressed and released.
         *
         * @param key 0 to 9, *, #, A to D
         */
        void key(char key, int durationMillis);
    }

    /** Updates come every 20 to 50 ms. */
    private static final long SILENCE_NANOS = 200_000_000L;

    private static final int MILLIS_PER_SECOND = 1_000;

    /** RFC 4733 2.5.1.3: a longer press goes on as a new event that begins where this one ends. */
    private static final int MAX_SEGMENT = 0xFFFF;

    private final TelephoneEventReader reader = new TelephoneEventReader();
    private final int clockRateHz;
    private final Listener listener;
    private boolean known;
    private boolean pressed;
    private char key;
    private int timestamp;
    private long before;
    private int duration;
    private long heardNanos;

    /**
     * @param clockRateHz of the durations
     */
    TelephoneKeys(int clockRateHz, Listener listener) {
        this.clockRateHz = clockRateHz;
        this.listener = listener;
    }

    /** Takes the payload of one packet; false when it tells of no key. */
    boolean accept(int packetTimestamp, ByteBuffer bytes, int offset, int length, long nowNanos) {
        if (!reader.wrap(bytes, offset, length) || !reader.isKey()) {
            return false;
        }
        int age = packetTimestamp - timestamp;
        if (known && age < 0) {
            // An update of a press that another has followed.
            return true;
        }
        if (!known || age > 0) {
            begin(packetTimestamp);
        } else if (!pressed) {
            // RFC 4733 2.5.1.4: the last packet is sent three times.
            return true;
        }
        duration = Math.max(duration, reader.duration());
        heardNanos = nowNanos;
        if (reader.isEnd()) {
            release();
        }
        return true;
    }

    private void begin(int packetTimestamp) {
        boolean continued = pressed && reader.key() == key && duration == MAX_SEGMENT;
        long heldBefore = continued ? before + duration : 0;
        if (pressed && !continued) {
            release();
        }
        known = true;
        pressed = true;
        key = reader.key();
        timestamp = packetTimestamp;
        before = heldBefore;
        duration = 0;
    }

    private void release() {
        pressed = false;
        long millis = (before + duration) * MILLIS_PER_SECOND / clockRateHz;
        listener.key(key, (int) Math.min(millis, Integer.MAX_VALUE));
    }

    /** Whether a key is down, so that {@link #deadlineNanos} means something. */
    boolean pressed() {
        return pressed;
    }

    /** When to call {@link #onDeadline}. */
    long deadlineNanos() {
        return heardNanos + SILENCE_NANOS;
    }

    /** Releases the key of which nothing has been heard any more. */
    void onDeadline(long nowNanos) {
        if (pressed && deadlineNanos() - nowNanos <= 0) {
            release();
        }
    }

    /** Releases a key and expects timestamps of another base, as after an SSRC change. */
    void restart() {
        if (pressed) {
            release();
        }
        known = false;
    }
}
