package dev.parley.transceiver.inference;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.DtmfInput;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SpeechStarted;
import dev.parley.proto.inference.v1.SpeechStopped;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.VoiceInput;
import dev.parley.transceiver.speech.SpeechGate;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Sends a call's input to inference, numbered. Audio is numbered by the one thread that has it
 * ready: the media loop for Opus, the codec thread for PCM. Events come from both.
 */
public final class InputUplink implements InputPath.Sink, VoiceInput.Sink, SpeechGate.Listener {
    private final InferenceLink link;
    private final Consumer<ConverseRequest> events;
    private final Runnable onFirst;
    private final int rateHz;
    private final AtomicLong concealedSamples = new AtomicLong();
    private final AtomicLong endMillis = new AtomicLong();
    private long sequence;

    /**
     * @param rateHz of the samples that inference gets
     * @param events takes what is no audio
     * @param onFirst run when the first message has been handed over
     */
    InputUplink(
            InferenceLink link, int rateHz, Consumer<ConverseRequest> events, Runnable onFirst) {
        this.link = link;
        this.rateHz = rateHz;
        this.events = events;
        this.onFirst = onFirst;
    }

    /** Samples that were made up so far, at inference's rate; any thread may ask. */
    long concealedSamples() {
        return concealedSamples.getAcquire();
    }

    /** End of the audio sent so far, on its clock; any thread may ask. */
    long endMillis() {
        return endMillis.getAcquire();
    }

    /** An Opus packet, passed on verbatim; it leaves with the next {@link Backends#flush}. */
    @Override
    public void packet(InputPacket packet) {
        byte[] copy = new byte[packet.length()];
        packet.bytes().get(packet.offset(), copy);
        InputAudio.Builder message =
                message(
                        UnsafeByteOperations.unsafeWrap(copy),
                        packet.offsetSamples(),
                        packet.samples(),
                        packet.voice());
        if (packet.audioLevel() != InputPacket.UNKNOWN) {
            message.setAudioLevelDbov(RtpReader.levelDbov(packet.audioLevel()));
        }
        send(message);
    }

    @Override
    public void key(char key, int durationMillis) {
        events.accept(
                ConverseRequest.newBuilder()
                        .setDtmfInput(
                                DtmfInput.newBuilder()
                                        .setDigit(String.valueOf(key))
                                        .setDurationMs(durationMillis))
                        .build());
    }

    @Override
    public void started(long offsetSamples) {
        events.accept(
                ConverseRequest.newBuilder()
                        .setSpeechStarted(
                                SpeechStarted.newBuilder()
                                        .setAudioOffsetMs(InputClock.millis(offsetSamples)))
                        .build());
    }

    @Override
    public void stopped(long offsetSamples) {
        events.accept(
                ConverseRequest.newBuilder()
                        .setSpeechStopped(
                                SpeechStopped.newBuilder()
                                        .setAudioOffsetMs(InputClock.millis(offsetSamples)))
                        .build());
    }

    /** Decoded audio. */
    @Override
    public void audio(
            long offsetSamples,
            byte[] bytes,
            int lengthBytes,
            int samples,
            int concealed,
            int levelDbov,
            int voice) {
        // Single writer: a plain read and an ordered write are enough.
        concealedSamples.setRelease(concealedSamples.getPlain() + concealed);
        ByteString audio = ByteString.copyFrom(bytes, 0, lengthBytes);
        send(
                message(audio, offsetSamples, samples, voice)
                        .setConcealedSamples(concealed)
                        .setAudioLevelDbov(levelDbov));
        link.flush();
    }

    private InputAudio.Builder message(
            ByteString audio, long offsetSamples, int samples, int voice) {
        endMillis.setRelease(InputClock.millis(offsetSamples) + samples * 1_000L / rateHz);
        InputAudio.Builder message =
                InputAudio.newBuilder()
                        .setAudio(audio)
                        .setSequenceNumber(sequence++)
                        .setAudioOffsetMs(InputClock.millis(offsetSamples))
                        .setNumSamples(samples);
        if (voice != InputPacket.UNKNOWN) {
            message.setVoiceActivity(voice == 1);
        }
        return message;
    }

    private void send(InputAudio.Builder message) {
        link.sendAudio(ConverseRequest.newBuilder().setInputAudio(message).build());
        if (sequence == 1) {
            onFirst.run();
        }
    }
}
