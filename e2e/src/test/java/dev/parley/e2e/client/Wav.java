package dev.parley.e2e.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Mono 16-bit audio, and its file format: RIFF WAVE with PCM. Nobody changes the samples, which are
 * shared, not copied.
 */
public final class Wav {
    private static final int HEADER_BYTES = 44;

    private final int sampleRateHz;
    private final short[] samples;

    public Wav(int sampleRateHz, short[] samples) {
        this.sampleRateHz = sampleRateHz;
        this.samples = samples;
    }

    public int sampleRateHz() {
        return sampleRateHz;
    }

    public short[] samples() {
        return samples;
    }

    /** Reads a file; several channels are mixed into one. */
    public static Wav read(Path file) {
        try {
            return parse(ByteBuffer.wrap(Files.readAllBytes(file)));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Reads a resource of the class path by its absolute name. */
    public static Wav resource(String name) {
        try (InputStream bytes = Wav.class.getResourceAsStream(name)) {
            if (bytes == null) {
                throw new IllegalArgumentException("no resource " + name);
            }
            return parse(ByteBuffer.wrap(bytes.readAllBytes()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    static Wav parse(ByteBuffer bytes) {
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < 12 || tag(bytes, 0) != 'R' || tag(bytes, 8) != 'W') {
            throw new IllegalArgumentException("no RIFF WAVE file");
        }
        int channels = 0;
        int rate = 0;
        int at = 12;
        while (at + 8 <= bytes.limit()) {
            int kind = tag(bytes, at);
            int length = Math.min(bytes.getInt(at + 4), bytes.limit() - at - 8);
            if (kind == 'f') {
                channels = bytes.getShort(at + 10);
                rate = bytes.getInt(at + 12);
                if (bytes.getShort(at + 22) != 16) {
                    throw new IllegalArgumentException("not 16 bits a sample");
                }
            } else if (kind == 'd' && channels > 0) {
                return new Wav(rate, mix(bytes, at + 8, length / 2 / channels, channels));
            }
            // Chunks begin at even offsets.
            at += 8 + length + (length & 1);
        }
        throw new IllegalArgumentException("no audio in the file");
    }

    /** First letter of a chunk's name, enough to tell those that matter apart. */
    private static int tag(ByteBuffer bytes, int at) {
        byte[] letters = new byte[4];
        bytes.get(at, letters);
        String name = new String(letters, StandardCharsets.US_ASCII);
        return switch (name) {
            case "RIFF", "WAVE", "fmt ", "data" -> name.charAt(0);
            default -> 0;
        };
    }

    private static short[] mix(ByteBuffer bytes, int at, int frames, int channels) {
        short[] samples = new short[frames];
        for (int i = 0; i < frames; i++) {
            int sum = 0;
            for (int channel = 0; channel < channels; channel++) {
                sum += bytes.getShort(at + 2 * (i * channels + channel));
            }
            samples[i] = (short) (sum / channels);
        }
        return samples;
    }

    public void write(Path file) {
        ByteBuffer bytes =
                ByteBuffer.allocate(HEADER_BYTES + 2 * samples.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(ascii("RIFF")).putInt(bytes.capacity() - 8).put(ascii("WAVE"));
        bytes.put(ascii("fmt ")).putInt(16).putShort((short) 1).putShort((short) 1);
        bytes.putInt(sampleRateHz).putInt(2 * sampleRateHz).putShort((short) 2);
        bytes.putShort((short) 16).put(ascii("data")).putInt(2 * samples.length);
        for (short sample : samples) {
            bytes.putShort(sample);
        }
        try {
            Files.write(file, bytes.array());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** What remains without the first so many seconds. */
    public Wav after(double seconds) {
        int from = Math.clamp((long) (seconds * sampleRateHz), 0, samples.length);
        return new Wav(sampleRateHz, Arrays.copyOfRange(samples, from, samples.length));
    }

    public double seconds() {
        return samples.length / (double) sampleRateHz;
    }
}
