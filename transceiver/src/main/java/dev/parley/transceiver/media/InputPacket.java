package dev.parley.transceiver.media;

import java.nio.ByteBuffer;

/**
 * One packet of a session's input, in order and on the clock. Whoever hands packets on owns one and
 * fills it anew for each; its bytes are valid during the call that it is passed to.
 */
public final class InputPacket {
    /** Stands for what is not known. */
    public static final int UNKNOWN = -1;

    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private int offset;
    private int length;
    private long offsetSamples;
    private int samples;
    private int lostSamples;
    private int audioLevel = UNKNOWN;
    private int voice = UNKNOWN;

    /**
     * A packet that was received before, on its clock as it was then.
     *
     * @param bytes holds all of it and nothing else
     */
    public static InputPacket again(
            byte[] bytes,
            long atSamples,
            int samples,
            int lostBefore,
            int rfc6464Byte,
            int voiceActivity) {
        return new InputPacket()
                .payload(ByteBuffer.wrap(bytes), 0, bytes.length)
                .place(atSamples, samples, lostBefore)
                .level(rfc6464Byte, voiceActivity);
    }

    /** Places it on the clock; {@link #payload} and {@link #level} tell the rest. */
    InputPacket place(long atSamples, int lengthSamples, int lostBefore) {
        offsetSamples = atSamples;
        samples = lengthSamples;
        lostSamples = lostBefore;
        return this;
    }

    InputPacket level(int rfc6464Byte, int voiceActivity) {
        audioLevel = rfc6464Byte;
        voice = voiceActivity;
        return this;
    }

    InputPacket payload(ByteBuffer from, int at, int lengthBytes) {
        bytes = from;
        offset = at;
        length = lengthBytes;
        return this;
    }

    /** Takes all of another one, its payload as a copy in memory of its own. */
    void copy(InputPacket other) {
        if (bytes.capacity() < other.length) {
            bytes = ByteBuffer.allocate(Math.max(other.length, 256));
        }
        bytes.put(0, other.bytes, other.offset, other.length);
        offset = 0;
        length = other.length;
        place(other.offsetSamples, other.samples, other.lostSamples);
        level(other.audioLevel, other.voice);
    }

    /** Holds the payload: an Opus packet, or G.711. */
    public ByteBuffer bytes() {
        return bytes;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    /** Where its first sample stands on the input clock, at 48 kHz. */
    public long offsetSamples() {
        return offsetSamples;
    }

    /** Its length at 48 kHz. */
    public int samples() {
        return samples;
    }

    /** Audio right before it that was lost, at 48 kHz. */
    public int lostSamples() {
        return lostSamples;
    }

    /** The RFC 6464 byte, or {@link #UNKNOWN}. */
    public int audioLevel() {
        return audioLevel;
    }

    /** 1 when it holds voice, 0 when not, or {@link #UNKNOWN}. */
    public int voice() {
        return voice;
    }
}
