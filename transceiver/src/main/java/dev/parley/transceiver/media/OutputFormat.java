package dev.parley.transceiver.media;

import dev.parley.transceiver.audio.G711;
import java.util.Arrays;

/**
 * How a session's output looks on the wire.
 *
 * @param payloadType in the client's numbering
 * @param clockRateHz of RTP timestamps
 * @param packetMillis of packets that we make: 10, 20, 40 or 60
 * @param dtx whether packets of silence that need not be sent are left out
 * @param silence a payload of that length that decodes to nothing
 */
@SuppressWarnings("ArrayRecordComponent") // Written once, compared by no one.
public record OutputFormat(
        int payloadType, int clockRateHz, int packetMillis, boolean dtx, byte[] silence) {
    private static final int G711_RATE_HZ = 8_000;

    /** RFC 6716 3.1: configuration 31 is CELT, fullband, 20 ms; 30 the same of 10 ms. */
    private static final int CELT_20_MILLIS = 31 << 3;

    private static final int CELT_10_MILLIS = 30 << 3;

    /** RFC 6716 3.2.3: code 1 has two frames of one size, 3.2.5: code 3 as many as it says. */
    private static final int TWO_FRAMES = 1;

    private static final int COUNTED_FRAMES = 3;

    /** What the range coder makes of CELT's silence flag. */
    private static final byte[] SILENT_FRAME = {(byte) 0xFF, (byte) 0xFE};

    /** Opus, RFC 7587. */
    public static OutputFormat opus(int payloadType, int packetMillis, boolean dtx) {
        return new OutputFormat(
                payloadType, InputClock.RATE_HZ, packetMillis, dtx, opusSilence(packetMillis));
    }

    /** G.711, RFC 3551 4.5.14. Without Opus nothing tells a client that silence is meant. */
    public static OutputFormat g711(int payloadType, int packetMillis, G711 law) {
        byte[] silence = new byte[G711_RATE_HZ / 1000 * packetMillis];
        Arrays.fill(silence, law.encode((short) 0));
        return new OutputFormat(payloadType, G711_RATE_HZ, packetMillis, false, silence);
    }

    /** Samples at 48 kHz that one step of an RTP timestamp stands for. */
    int samplesPerTick() {
        return InputClock.RATE_HZ / clockRateHz;
    }

    /** Samples at 48 kHz of a packet of silence. */
    int silenceSamples() {
        return InputClock.RATE_HZ / 1000 * packetMillis;
    }

    private static byte[] opusSilence(int packetMillis) {
        return switch (packetMillis) {
            case 10 -> frames(SILENT_FRAME, 1, (byte) CELT_10_MILLIS);
            case 20 -> frames(SILENT_FRAME, 1, (byte) CELT_20_MILLIS);
            case 40 -> frames(SILENT_FRAME, 2, (byte) (CELT_20_MILLIS | TWO_FRAMES));
            default ->
                    frames(
                            SILENT_FRAME,
                            packetMillis / 20,
                            (byte) (CELT_20_MILLIS | COUNTED_FRAMES),
                            (byte) (packetMillis / 20));
        };
    }

    private static byte[] frames(byte[] frame, int count, byte... head) {
        byte[] packet = Arrays.copyOf(head, head.length + count * frame.length);
        for (int i = 0; i < count; i++) {
            System.arraycopy(frame, 0, packet, head.length + i * frame.length, frame.length);
        }
        return packet;
    }
}
