package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;

/**
 * Read-only view of one Opus packet's framing, RFC 6716 3. Whoever handles packets owns one and
 * re-points it per packet, so reading allocates nothing; what it says was read in {@link #wrap},
 * the bytes may change afterwards.
 *
 * <pre>
 *  0 1 2 3 4 5 6 7
 * +-+-+-+-+-+-+-+-+
 * | config  |s| c |    RFC 6716 3.1: the TOC byte
 * +-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class OpusPacket {
    /** Clock of Opus in RTP, whatever the audio bandwidth (RFC 7587 4.1). */
    public static final int CLOCK_RATE_HZ = 48_000;

    /** Which of Opus' coders made the packet. */
    public enum Mode {
        /** Linear prediction: speech up to wideband. */
        SILK,
        /** SILK below 8 kHz, CELT above. */
        HYBRID,
        /** Transform coding: music and lowest delay. */
        CELT
    }

    // RFC 6716 3.2.1: longest frame.
    private static final int MAX_FRAME_BYTES = 1_275;
    // R5: at most 120 ms.
    private static final int MAX_DURATION_SAMPLES = 5_760;

    private Mode mode = Mode.CELT;
    private boolean stereo;
    private int frameSamples;
    private int frameCount;
    private int firstFrameBytes;
    private int firstFrameByte;

    /**
     * Answers whether the bytes are one well-formed packet by all of RFC 6716 3.4; the accessors
     * speak of the last packet for which it answered true.
     */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        // R1: at least one byte.
        if (length < 1) {
            return false;
        }
        int toc = buffer.get(offset) & 0xFF;
        int samples = frameSamples(toc);
        return switch (toc & 3) {
            case 0 -> wrapFrames(buffer, toc, 1, offset + 1, length - 1);
            // R3: two frames of one size.
            case 1 ->
                    (length - 1) % 2 == 0
                            && samples * 2 <= MAX_DURATION_SAMPLES
                            && wrapFrames(buffer, toc, 2, offset + 1, (length - 1) / 2);
            case 2 ->
                    samples * 2 <= MAX_DURATION_SAMPLES
                            && wrapTwoSizes(buffer, toc, offset, length);
            default -> wrapCounted(buffer, toc, offset, length);
        };
    }

    private boolean wrapTwoSizes(ByteBuffer buffer, int toc, int offset, int length) {
        // R4: the first frame's size must be there and fit.
        int headerBytes = 1 + sizeBytes(buffer, offset + 1, length - 1);
        if (headerBytes == 1) {
            return false;
        }
        int first = size(buffer, offset + 1);
        int second = length - headerBytes - first;
        return second >= 0
                && second <= MAX_FRAME_BYTES
                && wrapFrames(buffer, toc, 2, offset + headerBytes, first);
    }

    /**
     * RFC 6716 3.2.5, code 3.
     *
     * <pre>
     *  0 1 2 3 4 5 6 7
     * +-+-+-+-+-+-+-+-+
     * |v|p|     M     |
     * +-+-+-+-+-+-+-+-+
     * </pre>
     */
    private boolean wrapCounted(ByteBuffer buffer, int toc, int offset, int length) {
        if (length < 2) {
            return false;
        }
        int counts = buffer.get(offset + 1) & 0xFF;
        int frames = counts & 0x3F;
        // R5: at least one frame, at most 120 ms.
        if (frames == 0 || frames * frameSamples(toc) > MAX_DURATION_SAMPLES) {
            return false;
        }
        int at = offset + 2;
        int end = offset + length;
        if ((counts & 0x40) != 0) {
            int padding = 0;
            int step;
            do {
                if (at >= end) {
                    return false;
                }
                step = buffer.get(at++) & 0xFF;
                // 255 stands for 254 bytes more and another length byte.
                padding += step == 255 ? 254 : step;
            } while (step == 255);
            end -= padding;
        }
        return (counts & 0x80) == 0
                ? wrapEqual(buffer, toc, frames, at, end)
                : wrapSized(buffer, toc, frames, at, end);
    }

    private boolean wrapEqual(ByteBuffer buffer, int toc, int frames, int at, int end) {
        // R6: what remains is a whole multiple of the count.
        return end - at >= 0
                && (end - at) % frames == 0
                && wrapFrames(buffer, toc, frames, at, (end - at) / frames);
    }

    private boolean wrapSized(ByteBuffer buffer, int toc, int frames, int at, int end) {
        int sizesAt = at;
        int sum = 0;
        for (int i = 0; i < frames - 1; i++) {
            int bytes = sizeBytes(buffer, sizesAt, end - sizesAt);
            if (bytes == 0) {
                return false;
            }
            sum += size(buffer, sizesAt);
            sizesAt += bytes;
        }
        // R7: the sizes fit, the last frame takes the rest.
        int last = end - sizesAt - sum;
        int first = frames == 1 ? last : size(buffer, at);
        return last >= 0
                && last <= MAX_FRAME_BYTES
                && wrapFrames(buffer, toc, frames, sizesAt, first);
    }

    private boolean wrapFrames(ByteBuffer buffer, int toc, int frames, int firstAt, int first) {
        // R2: no frame is longer than 1,275 bytes.
        if (first > MAX_FRAME_BYTES) {
            return false;
        }
        int config = toc >> 3;
        mode = config < 12 ? Mode.SILK : config < 16 ? Mode.HYBRID : Mode.CELT;
        stereo = (toc & 4) != 0;
        frameSamples = frameSamples(toc);
        frameCount = frames;
        firstFrameBytes = first;
        firstFrameByte = first > 0 ? buffer.get(firstAt) & 0xFF : 0;
        return true;
    }

    /** RFC 6716 3.2.1: bytes of a frame size, 1 or 2, or 0 when they are not all there. */
    private static int sizeBytes(ByteBuffer buffer, int at, int remaining) {
        if (remaining < 1) {
            return 0;
        }
        int bytes = (buffer.get(at) & 0xFF) < 252 ? 1 : 2;
        return remaining < bytes ? 0 : bytes;
    }

    private static int size(ByteBuffer buffer, int at) {
        int first = buffer.get(at) & 0xFF;
        return first < 252 ? first : (buffer.get(at + 1) & 0xFF) * 4 + first;
    }

    /** RFC 6716 table 2: samples of one frame at 48 kHz. */
    private static int frameSamples(int toc) {
        int config = toc >> 3;
        if (config >= 16) {
            return 120 << (config & 3);
        }
        if (config >= 12) {
            return (config & 1) == 0 ? 480 : 960;
        }
        return (config & 3) == 3 ? 2_880 : 480 << (config & 3);
    }

    public Mode mode() {
        return mode;
    }

    public boolean stereo() {
        return stereo;
    }

    public int frameCount() {
        return frameCount;
    }

    /** Samples of each frame at 48 kHz. */
    public int frameSamples() {
        return frameSamples;
    }

    /** Samples of the whole packet at 48 kHz, 120 (2.5 ms) to 5,760 (120 ms). */
    public int durationSamples() {
        return frameCount * frameSamples;
    }

    /** True when the first frame carries nothing: DTX, decoded as comfort noise. */
    public boolean empty() {
        return firstFrameBytes <= 1;
    }

    /**
     * True when a coarse copy of the frame before (LBRR, in-band FEC) is in the packet, RFC 6716
     * 4.2.3. Never so in CELT.
     */
    public boolean hasLbrr() {
        if (mode == Mode.CELT || empty()) {
            return false;
        }
        int silkFrames = silkFrames();
        // Per channel: one VAD bit for each 20 ms SILK frame, then the LBRR bit.
        boolean mid = ((firstFrameByte >> (7 - silkFrames)) & 1) != 0;
        return stereo ? mid || ((firstFrameByte >> (6 - 2 * silkFrames)) & 1) != 0 : mid;
    }

    /**
     * False when the encoder's own detector saw no voice in the first frame, RFC 6716 4.2.3; CELT
     * has no such detector and answers true.
     */
    public boolean hasVoice() {
        if (mode == Mode.CELT) {
            return true;
        }
        return !empty() && firstFrameByte >> (8 - silkFrames()) != 0;
    }

    private int silkFrames() {
        return Math.max(1, frameSamples / 960);
    }
}
