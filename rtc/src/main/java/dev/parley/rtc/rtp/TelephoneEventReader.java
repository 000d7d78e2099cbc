package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;

/**
 * Read-only view of the first event of one telephone-event payload, RFC 4733 2.3. Each media loop
 * owns one and re-points it per packet, so reading allocates nothing.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |     event     |E|R| volume    |          duration             |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class TelephoneEventReader {
    /** Length in bytes of one event. */
    public static final int LENGTH = 4;

    private static final String KEYS = "0123456789*#ABCD";

    private int event;
    private boolean end;
    private int volume;
    private int duration;

    /** Answers whether there is an event; a reader that was not told of more passes over them. */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        if (length < LENGTH) {
            return false;
        }
        event = buffer.get(offset) & 0xFF;
        end = buffer.get(offset + 1) < 0;
        volume = buffer.get(offset + 1) & 0x3F;
        duration = buffer.getShort(offset + 2) & 0xFFFF;
        return true;
    }

    /** 0 to 255; below 16 a key, see {@link #key}. */
    public int event() {
        return event;
    }

    /** Whether the event is a key of a telephone, RFC 4733 table 3. */
    public boolean isKey() {
        return event < KEYS.length();
    }

    /** 0 to 9, *, #, A to D; of a key only. */
    public char key() {
        return KEYS.charAt(event);
    }

    /** Whether the key has been released, or the segment of a long press is over. */
    public boolean isEnd() {
        return end;
    }

    /** Power in dBm0 with the sign dropped, 0 to 63. */
    public int volume() {
        return volume;
    }

    /** How long the event has lasted, in timestamp units, 0 to 65,535. */
    public int duration() {
        return duration;
    }
}
