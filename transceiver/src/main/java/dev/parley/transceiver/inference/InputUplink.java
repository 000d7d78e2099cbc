package dev.parley.transceiver.inference;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.VoiceInput;
import java.nio.ByteBuffer;

/**
 * Sends a call's input to inference, numbered. Owned by the thread that has the audio ready: the
 * media loop for Opus, the codec thread for PCM.
 */
public final class InputUplink implements InputPath.Sink, VoiceInput.Sink {
    private final InferenceStream stream;
    private final Runnable onFirst;
    private long sequence;

    /**
     * @param onFirst run when the first message has been handed over
     */
    public InputUplink(InferenceStream stream, Runnable onFirst) {
        this.stream = stream;
        this.onFirst = onFirst;
    }

    /** An Opus packet, passed on verbatim. */
    @Override
    public void packet(
            long offsetSamples,
            int samples,
            int missing,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length) {
        byte[] copy = new byte[length];
        bytes.get(offset, copy);
        send(UnsafeByteOperations.unsafeWrap(copy), offsetSamples, samples, 0, audioLevel);
    }

    /** Decoded audio. */
    @Override
    public void audio(
            long offsetSamples,
            byte[] bytes,
            int lengthBytes,
            int samples,
            int concealed,
            int audioLevel) {
        ByteString audio = ByteString.copyFrom(bytes, 0, lengthBytes);
        send(audio, offsetSamples, samples, concealed, audioLevel);
    }

    private void send(
            ByteString audio, long offsetSamples, int samples, int concealed, int audioLevel) {
        InputAudio.Builder message =
                InputAudio.newBuilder()
                        .setAudio(audio)
                        .setSequenceNumber(sequence++)
                        .setAudioOffsetMs(InputClock.millis(offsetSamples))
                        .setNumSamples(samples)
                        .setConcealedSamples(concealed);
        if (audioLevel != RtpReader.ABSENT) {
            message.setAudioLevelDbov(RtpReader.levelDbov(audioLevel))
                    .setVoiceActivity(RtpReader.isVoice(audioLevel));
        }
        stream.sendAudio(ConverseRequest.newBuilder().setInputAudio(message).build());
        if (sequence == 1) {
            onFirst.run();
        }
    }
}
