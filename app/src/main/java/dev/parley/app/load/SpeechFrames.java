package dev.parley.app.load;

import dev.parley.runtime.config.ConfigException;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What callers say: Opus packets of 20 ms, each with room for an {@link EchoMark}, said over and
 * over; and what they send while they are silent. Immutable.
 */
public final class SpeechFrames {
    private static final int FRAMES_PER_SECOND = 50;
    private static final int BUILT_IN_RATE_HZ = 24_000;
    private static final int BUILT_IN_SECONDS = 4;
    private static final int WAV_HEADER_BYTES = 12;

    private final byte[][] talk;
    private final byte[] silence;

    private SpeechFrames(byte[][] talk, byte[] silence) {
        this.talk = talk;
        this.silence = silence;
    }

    /** {@link BuiltInVoice}. */
    public static SpeechFrames builtIn() {
        return encoded(
                BuiltInVoice.pcm(BUILT_IN_RATE_HZ, BUILT_IN_RATE_HZ * BUILT_IN_SECONDS),
                BUILT_IN_RATE_HZ);
    }

    /**
     * Reads a file.
     *
     * @throws ConfigException when it holds nothing that can be said; the message says why
     */
    static SpeechFrames of(Path file) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            return startsWith(bytes, "RIFF") ? ofWav(bytes) : ofOgg(bytes);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException("--audio is '" + file + "': " + e.getMessage());
        }
    }

    private static boolean startsWith(byte[] bytes, String word) {
        return bytes.length > word.length()
                && new String(bytes, 0, word.length(), StandardCharsets.US_ASCII).equals(word);
    }

    private static SpeechFrames ofOgg(byte[] bytes) {
        List<byte[]> talk = new ArrayList<>();
        for (byte[] packet : OggPackets.of(bytes)) {
            byte[] roomy = startsWith(packet, "Opus") ? null : EchoMark.withRoom(packet);
            if (roomy != null && isTwentyMillis(packet[0])) {
                talk.add(roomy);
            }
        }
        if (talk.isEmpty()) {
            throw new IllegalArgumentException("it has no Opus packets of one 20 ms frame");
        }
        return new SpeechFrames(talk.toArray(byte[][]::new), silence());
    }

    /** RFC 6716 3.1, table 2: SILK and hybrid say 20 ms in one way each, CELT in its last one. */
    private static boolean isTwentyMillis(byte toc) {
        int config = (toc & 0xFF) >> 3;
        if (config < 12) {
            return config % 4 == 1;
        }
        return config < 16 ? config % 2 == 1 : config % 4 == 3;
    }

    /** PCM of 16 bits, one channel, at a rate that Opus has. */
    private static SpeechFrames ofWav(byte[] bytes) {
        ByteBuffer wav = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int rateHz = 0;
        // A chunk may claim up to 4 GiB, so that the place of the next one takes a long.
        for (long next = WAV_HEADER_BYTES; next + 8 <= bytes.length; ) {
            int at = (int) next;
            String chunk = new String(bytes, at, 4, StandardCharsets.US_ASCII);
            long length = Integer.toUnsignedLong(wav.getInt(at + 4));
            int body = at + 8;
            if (chunk.equals("fmt ") && length >= 16 && body + 16 <= bytes.length) {
                rateHz = wav.getInt(body + 4);
                boolean fits =
                        wav.getShort(body) == 1
                                && wav.getShort(body + 2) == 1
                                && wav.getShort(body + 14) == 16
                                && OpusLibrary.supportsRate(rateHz);
                if (!fits) {
                    throw new IllegalArgumentException(
                            "give PCM of 16 bit, mono, at 8, 16, 24 or 48 kHz");
                }
            } else if (chunk.equals("data") && rateHz > 0) {
                int samples = (int) Math.min(length, bytes.length - body) / 2;
                short[] pcm = new short[samples];
                wav.position(body);
                wav.asShortBuffer().get(pcm);
                return encoded(pcm, rateHz);
            }
            next = body + length + (length & 1);
        }
        throw new IllegalArgumentException("it is no whole WAV file");
    }

    private static SpeechFrames encoded(short[] pcm, int rateHz) {
        int frame = rateHz / FRAMES_PER_SECOND;
        if (pcm.length < frame) {
            throw new IllegalArgumentException("it is shorter than one frame of 20 ms");
        }
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(rateHz)) {
            encoder.apply(OpusSettings.VOICE);
            byte[][] talk = new byte[pcm.length / frame][];
            for (int i = 0; i < talk.length; i++) {
                talk[i] = encode(encoder, pcm, i * frame, frame);
            }
            return new SpeechFrames(talk, silence());
        }
    }

    private static byte[] silence() {
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(BUILT_IN_RATE_HZ)) {
            encoder.apply(OpusSettings.VOICE);
            int frame = BUILT_IN_RATE_HZ / FRAMES_PER_SECOND;
            short[] pcm = new short[frame];
            byte[] packet = encode(encoder, pcm, 0, frame);
            // The first frames still come from nowhere.
            for (int i = 0; i < FRAMES_PER_SECOND; i++) {
                packet = encode(encoder, pcm, 0, frame);
            }
            return packet;
        }
    }

    private static byte[] encode(OpusEncoder encoder, short[] pcm, int at, int frame) {
        ByteBuffer room = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
        int length = encoder.encode(pcm, at, frame, room, 0, OpusDecoder.MAX_PACKET_BYTES);
        byte[] packet = new byte[Math.max(0, length)];
        room.get(0, packet);
        byte[] roomy = EchoMark.withRoom(packet);
        if (roomy == null) {
            throw new IllegalStateException("Opus does not put a frame of 20 ms into one packet");
        }
        return roomy;
    }

    int count() {
        return talk.length;
    }

    /** Frame {@code i} of what is said, beginning anew after the last one. */
    byte[] talk(int i) {
        return talk[i % talk.length];
    }

    byte[] silentFrame() {
        return silence;
    }
}
