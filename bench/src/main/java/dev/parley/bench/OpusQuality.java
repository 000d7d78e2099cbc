package dev.parley.bench;

import dev.parley.bench.audio.VoiceQuality;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * How much of a voice Opus keeps at each complexity, by {@link VoiceQuality}. Prints Markdown.
 *
 * <p>Argument: a WAV file, PCM 16 bit mono at 16, 24 or 48 kHz with a plain header.
 */
public final class OpusQuality {
    private static final int HEADER_BYTES = 44;
    private static final int[] COMPLEXITIES = {0, 1, 2, 3, 5, 6, 8, 10};

    private final OpusLibrary library = OpusLibrary.best();
    private final short[] voice;
    private final int rateHz;
    private final VoiceQuality quality;

    private OpusQuality(ByteBuffer wav) {
        rateHz = wav.getInt(24);
        voice = new short[(wav.capacity() - HEADER_BYTES) / 2];
        wav.position(HEADER_BYTES).asShortBuffer().get(voice);
        quality = new VoiceQuality(voice, rateHz);
    }

    public static void main(String[] arguments) throws IOException {
        byte[] wav = Files.readAllBytes(Path.of(arguments[0]));
        new OpusQuality(ByteBuffer.wrap(wav).order(ByteOrder.LITTLE_ENDIAN)).print();
    }

    private void print() {
        System.out.printf("%s, %d Hz%n%n", library.description(), rateHz);
        System.out.println("| complexity | kb/s asked | kb/s | fwSNRseg dB | LSD dB |");
        System.out.println("|---|---|---|---|---|");
        for (int bitrate : new int[] {24_000, 32_000}) {
            for (int complexity : COMPLEXITIES) {
                print(bitrate, complexity);
            }
        }
    }

    private void print(int bitrate, int complexity) {
        short[] heard = new short[voice.length + rateHz];
        int frame = rateHz / 50;
        int samples = 0;
        int bytes = 0;
        ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
        try (OpusEncoder encoder = library.newEncoder(rateHz);
                OpusDecoder decoder = library.newDecoder(rateHz)) {
            encoder.bitrate(bitrate);
            encoder.complexity(complexity);
            encoder.inbandFec(true);
            encoder.expectedLossPercent(5);
            for (int at = 0; at + frame <= voice.length; at += frame) {
                int length = encoder.encode(voice, at, frame, packet, 0, packet.capacity());
                bytes += length;
                samples += decoder.decode(packet, 0, length, heard, at);
            }
        }
        VoiceQuality.Figures figures = quality.compare(heard, samples, quality.delay(heard));
        System.out.printf(
                Locale.ROOT,
                "| %d | %d | %.1f | %.2f | %.2f |%n",
                complexity,
                bitrate / 1_000,
                bytes * 8.0 * rateHz / samples / 1_000,
                figures.weightedSnrDb(),
                figures.distanceDb());
    }
}
