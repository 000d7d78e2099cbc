package dev.parley.bench;

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
 * How much of a voice Opus keeps at each complexity: frequency-weighted segmental signal-to-noise
 * ratio (Hu and Loizou, 2008: of the simple measures the one closest to what listeners say) over 25
 * mel bands, and the log-spectral distance over the same bands. Prints Markdown.
 *
 * <p>Argument: a WAV file, PCM 16 bit mono at 16, 24 or 48 kHz with a plain header.
 */
public final class OpusQuality {
    private static final int HEADER_BYTES = 44;
    private static final int BANDS = 25;
    private static final int[] COMPLEXITIES = {0, 1, 2, 3, 5, 6, 8, 10};
    // Frames below -44 dBov are pauses.
    private static final double SPEECH_RMS = 200;

    private final OpusLibrary library = OpusLibrary.best();
    private final short[] voice;
    private final int rateHz;
    private final int window;
    private final double[][] bands;
    private final double[] cosines;

    private OpusQuality(ByteBuffer wav) {
        rateHz = wav.getInt(24);
        voice = new short[(wav.capacity() - HEADER_BYTES) / 2];
        wav.position(HEADER_BYTES).asShortBuffer().get(voice);
        window = rateHz / 40;
        bands = melBands();
        cosines = new double[window];
        for (int i = 0; i < window; i++) {
            cosines[i] = Math.cos(2 * Math.PI * i / window);
        }
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
        double[] quality = compare(heard, samples, delay(heard));
        System.out.printf(
                Locale.ROOT,
                "| %d | %d | %.1f | %.2f | %.2f |%n",
                complexity,
                bitrate / 1_000,
                bytes * 8.0 * rateHz / samples / 1_000,
                quality[0],
                quality[1]);
    }

    /** The codec's own delay in samples, where both are most alike. */
    private int delay(short[] heard) {
        int best = 0;
        double most = -1;
        for (int lag = 0; lag < rateHz / 50; lag++) {
            double sum = 0;
            for (int i = 0; i < voice.length - rateHz / 50; i++) {
                sum += (double) voice[i] * heard[i + lag];
            }
            if (sum > most) {
                most = sum;
                best = lag;
            }
        }
        return best;
    }

    private double[] compare(short[] heard, int samples, int delay) {
        double signalToNoise = 0;
        double distance = 0;
        int frames = 0;
        for (int at = 0; at + delay + window < samples; at += window / 4) {
            if (rms(at) < SPEECH_RMS) {
                continue;
            }
            double[] clean = spectrum(voice, at);
            double[] coded = spectrum(heard, at + delay);
            double weights = 0;
            double weighted = 0;
            double square = 0;
            for (int band = 0; band < BANDS; band++) {
                double noise = Math.pow(clean[band] - coded[band], 2) + 1e-9;
                double ratio = 10 * Math.log10(Math.pow(clean[band], 2) / noise);
                double weight = Math.pow(clean[band], 0.2);
                weights += weight;
                weighted += weight * Math.clamp(ratio, -10, 35);
                // 50: what lies below nobody hears.
                square += Math.pow(20 * Math.log10((clean[band] + 50) / (coded[band] + 50)), 2);
            }
            signalToNoise += weighted / weights;
            distance += Math.sqrt(square / BANDS);
            frames++;
        }
        return new double[] {signalToNoise / frames, distance / frames};
    }

    private double rms(int at) {
        double sum = 0;
        for (int i = at; i < at + window; i++) {
            sum += (double) voice[i] * voice[i];
        }
        return Math.sqrt(sum / window);
    }

    private double[] spectrum(short[] samples, int at) {
        double[] result = new double[BANDS];
        double[] windowed = new double[window];
        for (int i = 0; i < window; i++) {
            windowed[i] = (0.5 - 0.5 * cosines[i]) * samples[at + i];
        }
        for (int bin = 0; bin <= window / 2; bin++) {
            double real = 0;
            double imaginary = 0;
            for (int i = 0; i < window; i++) {
                int angle = bin * i % window;
                real += windowed[i] * cosines[angle];
                // The sine is the cosine a quarter turn earlier.
                imaginary += windowed[i] * cosines[(angle + 3 * window / 4) % window];
            }
            double magnitude = Math.hypot(real, imaginary);
            for (int band = 0; band < BANDS; band++) {
                result[band] += bands[band][bin] * magnitude;
            }
        }
        return result;
    }

    /** Triangles of equal width on the mel scale, from 50 Hz to just below half the rate. */
    private double[][] melBands() {
        double low = mel(50);
        double step = (mel(0.46 * rateHz) - low) / (BANDS + 1);
        double[][] triangles = new double[BANDS][window / 2 + 1];
        for (int band = 0; band < BANDS; band++) {
            for (int bin = 0; bin <= window / 2; bin++) {
                double place = (mel((double) bin * rateHz / window) - low) / step - band;
                triangles[band][bin] = Math.max(0, 1 - Math.abs(place - 1));
            }
        }
        return triangles;
    }

    private static double mel(double hertz) {
        return 2_595 * Math.log10(1 + hertz / 700);
    }
}
