package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * An audio format of the contract with its default rate filled in, and for PCM the way from bytes
 * to samples and back.
 */
record WireFormat(AudioEncoding encoding, int sampleRateHz) {
    static final WireFormat OPUS = new WireFormat(AudioEncoding.AUDIO_ENCODING_OPUS, 48_000);
    static final WireFormat LINEAR16_24K =
            new WireFormat(AudioEncoding.AUDIO_ENCODING_LINEAR16, 24_000);

    static WireFormat of(AudioFormat format) {
        int rate = format.getSampleRateHz();
        return new WireFormat(
                format.getEncoding(), rate == 0 ? defaultRateHz(format.getEncoding()) : rate);
    }

    /**
     * Reads {@code opus}, {@code linear16}, {@code linear16/16000}, {@code mulaw}, {@code alaw}.
     */
    static WireFormat named(String name) throws Refusal {
        String[] parts = name.split("/", 2);
        try {
            AudioEncoding encoding =
                    AudioEncoding.valueOf("AUDIO_ENCODING_" + parts[0].toUpperCase(Locale.ROOT));
            int rate = parts.length == 1 ? defaultRateHz(encoding) : Integer.parseInt(parts[1]);
            WireFormat format = new WireFormat(encoding, rate);
            if (format.exists()) {
                return format;
            }
        } catch (IllegalArgumentException _) {
            // Neither an encoding nor a number: refused below like a rate that does not exist.
        }
        throw Misuse.UNSUPPORTED_FORMAT.refusal(
                "format is \""
                        + name
                        + "\"; use opus, mulaw, alaw, or linear16/RATE with 8000, 16000, 24000 or"
                        + " 48000");
    }

    AudioFormat toProto() {
        return AudioFormat.newBuilder().setEncoding(encoding).setSampleRateHz(sampleRateHz).build();
    }

    boolean isPcm() {
        return exists() && !equals(OPUS);
    }

    /** Whether the contract knows it. */
    boolean exists() {
        return switch (encoding) {
            case AUDIO_ENCODING_LINEAR16 ->
                    sampleRateHz == 8_000
                            || sampleRateHz == 16_000
                            || sampleRateHz == 24_000
                            || sampleRateHz == 48_000;
            case AUDIO_ENCODING_OPUS -> sampleRateHz == 48_000;
            case AUDIO_ENCODING_MULAW, AUDIO_ENCODING_ALAW -> sampleRateHz == 8_000;
            case AUDIO_ENCODING_UNSPECIFIED, UNRECOGNIZED -> false;
        };
    }

    int bytesPerSample() {
        return encoding == AudioEncoding.AUDIO_ENCODING_LINEAR16 ? 2 : 1;
    }

    /** Samples of PCM; the bytes must be whole samples. */
    short[] decode(ByteString audio) {
        short[] samples = new short[audio.size() / bytesPerSample()];
        switch (encoding) {
            case AUDIO_ENCODING_MULAW -> {
                for (int i = 0; i < samples.length; i++) {
                    samples[i] = G711.decodeMuLaw(audio.byteAt(i));
                }
            }
            case AUDIO_ENCODING_ALAW -> {
                for (int i = 0; i < samples.length; i++) {
                    samples[i] = G711.decodeALaw(audio.byteAt(i));
                }
            }
            default ->
                    audio.asReadOnlyByteBuffer()
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .asShortBuffer()
                            .get(samples);
        }
        return samples;
    }

    /** Bytes of PCM. */
    ByteString encode(short[] samples) {
        byte[] bytes = new byte[samples.length * bytesPerSample()];
        switch (encoding) {
            case AUDIO_ENCODING_MULAW -> {
                for (int i = 0; i < samples.length; i++) {
                    bytes[i] = G711.encodeMuLaw(samples[i]);
                }
            }
            case AUDIO_ENCODING_ALAW -> {
                for (int i = 0; i < samples.length; i++) {
                    bytes[i] = G711.encodeALaw(samples[i]);
                }
            }
            default ->
                    ByteBuffer.wrap(bytes)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .asShortBuffer()
                            .put(samples);
        }
        return ByteString.copyFrom(bytes);
    }

    @Override
    public String toString() {
        String name = encoding.name().replace("AUDIO_ENCODING_", "");
        return name + " at " + sampleRateHz + " Hz";
    }

    private static int defaultRateHz(AudioEncoding encoding) {
        return switch (encoding) {
            case AUDIO_ENCODING_OPUS -> 48_000;
            case AUDIO_ENCODING_MULAW, AUDIO_ENCODING_ALAW -> 8_000;
            default -> 24_000;
        };
    }
}
