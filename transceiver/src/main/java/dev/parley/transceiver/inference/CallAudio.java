package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.EncoderSteering;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.media.OutputInbox;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputTarget;
import dev.parley.transceiver.media.VoiceInput;
import dev.parley.transceiver.media.VoiceOutput;
import dev.parley.transceiver.recording.CallTape;
import dev.parley.transceiver.speech.SpeechSettings;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The audio of one call between its stream and its media loop: codecs where inference speaks PCM,
 * and the queue of output. Made once inference has chosen formats; owned by the call.
 */
final class CallAudio implements AutoCloseable {
    /** Whom it talks to, on threads that must not be blocked. */
    interface Owner {
        /** An event for inference: a key, or speech that starts and stops. */
        void event(ConverseRequest event);

        /** The first input was handed to inference. */
        void onFirstInput();

        /** There is output, as {@link #awaitOutput} has asked. */
        void onOutput();

        /**
         * Output was dropped before it reached the queue.
         *
         * @param samples what it counted for in the backlog, at 48 kHz
         * @param bytes the same, of memory
         */
        void removed(long samples, long bytes);

        /** The thread of the codecs died of a fault of ours. */
        void onFault(Throwable fault);
    }

    private final OutputInbox inbox;
    private final Formats formats;
    private final OpusLibrary library;
    private final AudioCounters counters;
    private final InputUplink uplink;
    private final EncoderSteering steering;
    private final @Nullable VoiceInput voiceInput;
    private final @Nullable VoiceOutput voice;
    private final @Nullable CodecThread codecs;
    private final InputPath.Sink input;

    /**
     * @param name of the codecs' thread
     * @param wire how output looks to the client
     * @param encoder how PCM of inference is encoded
     * @param detects whether speech may have to be detected whatever inference has asked for
     */
    CallAudio(
            String name,
            InferenceLink link,
            Formats formats,
            OutputFormat wire,
            OpusSettings encoder,
            OpusLibrary library,
            boolean detects,
            AudioCounters counters,
            LongSupplier clock,
            Owner owner) {
        this.formats = formats;
        this.library = library;
        this.counters = counters;
        this.steering = new EncoderSteering(encoder);
        this.inbox = new OutputInbox(owner::onOutput);
        InferenceFormat in = formats.input();
        uplink = new InputUplink(link, in.sampleRateHz(), owner::event, owner::onFirstInput);
        voiceInput = voiceInput(detects);
        InferenceFormat out = formats.output();
        voice =
                out.isPcm()
                        ? new VoiceOutput(
                                out,
                                wire.packetMillis(),
                                () ->
                                        formats.client()
                                                .encoder(
                                                        library, out, encoder, wire.packetMillis()),
                                inbox,
                                owner::removed)
                        : null;
        codecs =
                voiceInput == null && voice == null
                        ? null
                        : new CodecThread(
                                name,
                                uplink,
                                !in.isPcm(),
                                voiceInput,
                                voice,
                                clock,
                                owner::onFault);
        if (codecs != null) {
            codecs.start();
        }
        input = taped(link.tape(), voiceInput == null || codecs == null ? uplink : codecs);
    }

    private InputPath.Sink taped(CallTape tape, InputPath.Sink sink) {
        if (!tape.runs()) {
            return sink;
        }
        tape.codec(formats.client());
        return new TapedInput(tape, sink);
    }

    /** What decodes input, or null when nobody wants it decoded. */
    private @Nullable VoiceInput voiceInput(boolean detects) {
        ClientCodec client = formats.client();
        InferenceFormat in = formats.input();
        SpeechSettings speech = formats.speech();
        if (!in.isPcm() && speech == null && !detects) {
            return null;
        }
        VoiceInput made =
                new VoiceInput(
                        new VoiceInput.Source(
                                client == ClientCodec.OPUS,
                                format -> client.decoder(library, format)),
                        counters);
        if (in.isPcm()) {
            made.decode(in, uplink);
        }
        if (speech != null || detects) {
            made.detect(speech, VoiceInput.isDetected(in), uplink);
        }
        return made;
    }

    /** Where the media loop puts input. */
    InputPath.Sink input() {
        return input;
    }

    /** Where output goes on its way to the media loop. */
    OutputTarget target() {
        return voice == null || codecs == null ? inbox : codecs;
    }

    /** The next thing inference wants done with its output, or null; for the media loop. */
    @Nullable OutputItem pollOutput() {
        return inbox.poll();
    }

    /**
     * Has the owner told of the next thing, once; answers false when there is something already.
     */
    boolean awaitOutput() {
        return inbox.await();
    }

    /** Tells that output has been sent or cleared, so that more is encoded. */
    void left(int frames) {
        inbox.left(frames);
        if (codecs != null && voice != null && voice.runsLow()) {
            codecs.wake();
        }
    }

    /**
     * The client has reported how our stream arrives; on the media loop.
     *
     * @param fractionLost in 256ths
     * @param roundTripNanos or a negative number
     */
    void steer(int fractionLost, long roundTripNanos) {
        if (voice != null) {
            voice.steer(steering.onReport(fractionLost, roundTripNanos));
        }
    }

    /** Listens for speech so from now on; null not at all. */
    void detectSpeech(@Nullable SpeechSettings settings) {
        if (voiceInput != null) {
            voiceInput.redetect(settings);
        }
        if (codecs != null) {
            codecs.wake();
        }
    }

    /** Milliseconds of the caller's audio that had to be made up. */
    long concealedMillis() {
        return uplink.concealedSamples() * 1000 / formats.input().sampleRateHz();
    }

    /** End of the caller's audio so far, milliseconds on its clock. */
    long inputMillis() {
        return uplink.endMillis();
    }

    @Override
    public void close() {
        if (codecs != null) {
            codecs.close();
        }
    }
}
