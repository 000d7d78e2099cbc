package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SpeechDetection;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.speech.SpeechSettings;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The audio formats of one call as the backend chose them.
 *
 * @param client what the client speaks
 * @param input caller to inference
 * @param output inference to caller
 * @param speech when speech starts and stops, null when inference does not want to hear of it
 */
public record Formats(
        ClientCodec client,
        InferenceFormat input,
        InferenceFormat output,
        @Nullable SpeechSettings speech) {
    /** What we offer for either direction of a call with Opus, cheapest first. */
    private static final List<AudioFormat> WITH_OPUS =
            List.of(
                    format(AudioEncoding.AUDIO_ENCODING_OPUS, 48_000),
                    format(AudioEncoding.AUDIO_ENCODING_LINEAR16, 24_000),
                    format(AudioEncoding.AUDIO_ENCODING_LINEAR16, 16_000),
                    format(AudioEncoding.AUDIO_ENCODING_LINEAR16, 48_000),
                    format(AudioEncoding.AUDIO_ENCODING_LINEAR16, 8_000),
                    format(AudioEncoding.AUDIO_ENCODING_MULAW, 8_000),
                    format(AudioEncoding.AUDIO_ENCODING_ALAW, 8_000));

    private static final List<AudioFormat> WITHOUT_OPUS =
            WITH_OPUS.stream()
                    .filter(f -> f.getEncoding() != AudioEncoding.AUDIO_ENCODING_OPUS)
                    .toList();

    private static final int DEFAULT_RATE_HZ = 24_000;
    private static final InferenceFormat DEFAULT =
            new InferenceFormat(Encoding.LINEAR16, DEFAULT_RATE_HZ);

    /** What a call is offered for either direction: OPUS only where the client speaks it. */
    public static List<AudioFormat> offered(ClientCodec client) {
        return client == ClientCodec.OPUS ? WITH_OPUS : WITHOUT_OPUS;
    }

    /**
     * Reads the backend's choice; null when it chose what was not offered.
     *
     * @throws IllegalArgumentException when what it says of speech detection is out of range
     */
    public static @Nullable Formats find(ClientCodec client, SessionReady ready) {
        InferenceFormat input = input(ready);
        InferenceFormat output = output(ready);
        if (input == null || output == null) {
            return null;
        }
        boolean offered = client == ClientCodec.OPUS || (input.isPcm() && output.isPcm());
        return offered ? new Formats(client, input, output, speech(ready)) : null;
    }

    /** What is wrong with a choice of which {@link #find} answers null, for its developer. */
    public static String whyNot(ClientCodec client, SessionReady ready) {
        InferenceFormat input = input(ready);
        boolean inputFits = input != null && (input.isPcm() || client == ClientCodec.OPUS);
        AudioFormat chosen = inputFits ? ready.getOutputFormat() : ready.getInputFormat();
        return (inputFits ? "output_format " : "input_format ")
                + text(chosen)
                + " is not among those on offer: "
                + String.join(", ", offered(client).stream().map(Formats::text).toList());
    }

    private static String text(AudioFormat format) {
        return format.getEncoding().name().replace("AUDIO_ENCODING_", "")
                + " at "
                + Integer.toUnsignedString(format.getSampleRateHz())
                + " Hz";
    }

    private static @Nullable InferenceFormat find(AudioFormat chosen) {
        Encoding encoding =
                switch (chosen.getEncoding()) {
                    case AUDIO_ENCODING_OPUS -> Encoding.OPUS;
                    case AUDIO_ENCODING_LINEAR16 -> Encoding.LINEAR16;
                    case AUDIO_ENCODING_MULAW -> Encoding.MULAW;
                    case AUDIO_ENCODING_ALAW -> Encoding.ALAW;
                    case AUDIO_ENCODING_UNSPECIFIED, UNRECOGNIZED -> null;
                };
        if (encoding == null) {
            return null;
        }
        int rate = chosen.getSampleRateHz();
        int defaultRate =
                switch (encoding) {
                    case OPUS -> 48_000;
                    case LINEAR16 -> DEFAULT_RATE_HZ;
                    case MULAW, ALAW -> 8_000;
                };
        try {
            return new InferenceFormat(encoding, rate == 0 ? defaultRate : rate);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Whether both choose the same formats. */
    static boolean sameAudio(SessionReady one, SessionReady other) {
        return Objects.equals(input(one), input(other))
                && Objects.equals(output(one), output(other));
    }

    private static @Nullable InferenceFormat input(SessionReady ready) {
        return ready.hasInputFormat() ? find(ready.getInputFormat()) : DEFAULT;
    }

    private static @Nullable InferenceFormat output(SessionReady ready) {
        return ready.hasOutputFormat() ? find(ready.getOutputFormat()) : DEFAULT;
    }

    /** How a backend wants speech to be detected, null when it does not. */
    public static @Nullable SpeechSettings speech(SessionReady ready) {
        if (!ready.hasSpeechDetection()) {
            return null;
        }
        SpeechDetection asked = ready.getSpeechDetection();
        return new SpeechSettings(
                asked.hasThreshold() ? asked.getThreshold() : SpeechSettings.DEFAULT_THRESHOLD,
                millis(
                        asked.hasPrefixPaddingMs(),
                        asked.getPrefixPaddingMs(),
                        SpeechSettings.DEFAULT_PREFIX_PADDING_MILLIS),
                millis(
                        asked.hasSilenceDurationMs(),
                        asked.getSilenceDurationMs(),
                        SpeechSettings.DEFAULT_SILENCE_DURATION_MILLIS));
    }

    private static int millis(boolean given, int value, int orElse) {
        return given ? value : orElse;
    }

    private static AudioFormat format(AudioEncoding encoding, int sampleRateHz) {
        return AudioFormat.newBuilder().setEncoding(encoding).setSampleRateHz(sampleRateHz).build();
    }
}
