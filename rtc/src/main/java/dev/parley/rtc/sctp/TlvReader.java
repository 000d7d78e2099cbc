package dev.parley.rtc.sctp;

/**
 * Steps through parameters or error causes, RFC 9260 3.2.1: type, length with this header, value,
 * padding.
 */
final class TlvReader {
    static final int HEADER_LENGTH = 4;

    private final byte[] bytes;
    private final int end;
    private int nextAt;
    private int at;
    private boolean whole = true;

    TlvReader(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.nextAt = offset;
        this.end = offset + length;
    }

    /** Steps to the next one; false when there is none, or none that is {@link #isWhole}. */
    boolean next() {
        if (nextAt >= end) {
            return false;
        }
        if (end - nextAt < HEADER_LENGTH
                || Wire.u16(bytes, nextAt + 2) < HEADER_LENGTH
                || Wire.u16(bytes, nextAt + 2) > end - nextAt) {
            whole = false;
            return false;
        }
        at = nextAt;
        nextAt = at + Wire.padded(length());
        return true;
    }

    /** Whether all that {@link #next} has met made sense. */
    boolean isWhole() {
        return whole;
    }

    int type() {
        return Wire.u16(bytes, at);
    }

    /** With its header. */
    int length() {
        return Wire.u16(bytes, at + 2);
    }

    /** Where it begins, with its header. */
    int at() {
        return at;
    }

    int valueAt() {
        return at + HEADER_LENGTH;
    }

    int valueLength() {
        return length() - HEADER_LENGTH;
    }
}
