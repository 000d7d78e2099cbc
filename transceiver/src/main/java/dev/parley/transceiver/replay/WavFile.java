package dev.parley.transceiver.replay;

import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.audio.VoiceEncoder;
import dev.parley.transceiver.replay.RecordedCall.UnreadableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The sound of a WAV file: G.711, or 16-bit PCM at one of Opus' rates.
 *
 * @param format of its samples
 * @param audio its samples
 */
@SuppressWarnings("ArrayRecordComponent") // Written once, compared by no one.
record WavFile(InferenceFormat format, byte[] audio) {
    private static final int PCM = 1;
    private static final int ALAW = 6;
    private static final int MULAW = 7;
    private static final int EXTENSIBLE = 0xFFFE;
    private static final int RIFF_BYTES = 12;
    private static final int CHUNK_BYTES = 8;

    /** What a fmt chunk says. */
    private record Layout(int kind, int channels, int rateHz, int bits) {}

    static WavFile read(Path file) throws IOException, UnreadableException {
        ByteBuffer bytes = ByteBuffer.wrap(WholeFile.bytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.limit() < RIFF_BYTES || !word(bytes, 0).equals("RIFF")) {
            throw new UnreadableException(file, "is no WAV file");
        }
        Layout layout = null;
        // A chunk may claim up to 4 GiB, so that the place of the next one takes a long.
        long next = RIFF_BYTES;
        while (next + CHUNK_BYTES <= bytes.limit()) {
            int at = (int) next;
            String chunk = word(bytes, at);
            long length = Integer.toUnsignedLong(bytes.getInt(at + 4));
            int from = at + CHUNK_BYTES;
            if (chunk.equals("fmt ") && from + 16 <= bytes.limit()) {
                layout =
                        new Layout(
                                bytes.getShort(from) & 0xFFFF,
                                bytes.getShort(from + 2),
                                bytes.getInt(from + 4),
                                bytes.getShort(from + 14));
            } else if (chunk.equals("data") && layout != null) {
                // Of a file that was never closed the length is not known.
                int there = bytes.limit() - from;
                int whole = length == 0 ? there : (int) Math.min(length, there);
                byte[] audio = new byte[whole];
                bytes.get(from, audio);
                return of(file, layout, audio);
            }
            next = from + length + (length & 1);
        }
        throw new UnreadableException(file, "has no audio");
    }

    private static String word(ByteBuffer bytes, int at) {
        byte[] word = new byte[4];
        bytes.get(at, word);
        return new String(word, StandardCharsets.ISO_8859_1);
    }

    private static WavFile of(Path file, Layout layout, byte[] audio) throws UnreadableException {
        Encoding encoding =
                switch (layout.kind()) {
                    case MULAW -> Encoding.MULAW;
                    case ALAW -> Encoding.ALAW;
                    case PCM, EXTENSIBLE -> layout.bits() == 16 ? Encoding.LINEAR16 : null;
                    default -> null;
                };
        if (encoding == null || layout.channels() != 1) {
            throw new UnreadableException(
                    file, "is neither 16-bit PCM nor G.711 of one channel: convert it");
        }
        try {
            return new WavFile(new InferenceFormat(encoding, layout.rateHz()), audio);
        } catch (IllegalArgumentException _) {
            throw new UnreadableException(
                    file,
                    "has "
                            + layout.rateHz()
                            + " Hz: convert it to 8000, 16000, 24000 or 48000 Hz, G.711 to 8000");
        }
    }

    /** What a client speaks that says this. */
    ClientCodec codec() {
        return switch (format.encoding()) {
            case OPUS, LINEAR16 -> ClientCodec.OPUS;
            case MULAW -> ClientCodec.PCMU;
            case ALAW -> ClientCodec.PCMA;
        };
    }

    /** The packets of 20 ms that such a client sends; what is left of the last one is dropped. */
    List<byte[]> packets() {
        List<byte[]> packets = new ArrayList<>();
        if (codec() != ClientCodec.OPUS) {
            int length = format.frameSamples();
            for (int at = 0; at + length <= audio.length; at += length) {
                packets.add(slice(ByteBuffer.wrap(audio), at, length));
            }
            return packets;
        }
        try (VoiceEncoder encoder =
                new VoiceEncoder(OpusLibrary.best(), format, OpusSettings.VOICE)) {
            encoder.encode(
                    ByteBuffer.wrap(audio),
                    0,
                    audio.length,
                    (bytes, at, length) -> packets.add(slice(bytes, at, length)));
        }
        return packets;
    }

    private static byte[] slice(ByteBuffer from, int at, int length) {
        byte[] slice = new byte[length];
        from.get(at, slice);
        return slice;
    }
}
