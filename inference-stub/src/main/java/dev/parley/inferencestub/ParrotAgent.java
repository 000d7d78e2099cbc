package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.inferencestub.UtteranceDetector.Verdict;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import java.util.Arrays;
import java.util.Locale;

/**
 * Waits until a person has finished a sentence and says it back. Speaking again while the parrot
 * does interrupts it.
 */
final class ParrotAgent implements Agent {
    private static final int PRE_ROLL_FRAMES = 15;

    /** Silence kept at the end of an utterance, so that it does not sound cut off. */
    private static final int TAIL_FRAMES = 8;

    /** Less voice than this, 120 ms, was a cough or a door. */
    private static final int SHORTEST_FRAMES = 6;

    private static final int CHUNK_MS = 100;

    private final Voice voice;
    private final WireFormat format;
    private final UtteranceDetector detector;
    private final Utterance utterance;
    private final long endOfSpeechNanos;
    private final int frameLength;

    private short[] partialFrame = new short[0];
    private long expectedOffsetMs;
    private long heardNanos;

    private int responses;

    /** The response that the caller may still be hearing; empty when none. */
    private String responseId = "";

    /** What is left to send of that response. */
    private ByteString unsent = ByteString.EMPTY;

    ParrotAgent(InferenceStubConfig config, Formats formats, Voice voice) {
        this.voice = voice;
        this.format = formats.input();
        this.detector = new UtteranceDetector(config.endOfSpeech().toMillis());
        this.endOfSpeechNanos = config.endOfSpeech().toNanos();
        this.utterance =
                new Utterance(
                        PRE_ROLL_FRAMES,
                        (int) (config.maxUtterance().toMillis() / UtteranceDetector.FRAME_MS));
        this.frameLength = format.sampleRateHz() * UtteranceDetector.FRAME_MS / 1_000;
    }

    @Override
    public void onAudio(InputAudio audio, long nowNanos) {
        heardNanos = nowNanos;
        // A caller's side that sends nothing in silence leaves a gap in the offsets.
        addSilence(audio.getAudioOffsetMs() - expectedOffsetMs);
        short[] samples = format.decode(audio.getAudio());
        expectedOffsetMs =
                audio.getAudioOffsetMs() + samples.length * 1_000L / format.sampleRateHz();

        short[] pending = Arrays.copyOf(partialFrame, partialFrame.length + samples.length);
        System.arraycopy(samples, 0, pending, partialFrame.length, samples.length);
        int at = 0;
        for (; at + frameLength <= pending.length; at += frameLength) {
            addFrame(Arrays.copyOfRange(pending, at, at + frameLength));
        }
        partialFrame = Arrays.copyOfRange(pending, at, pending.length);
    }

    @Override
    public void onEvent(ConverseRequest event) {
        switch (event.getMessageCase()) {
            // Only sent when the edge has a detector of its own, which hears it first.
            case SPEECH_STARTED -> interrupt();
            case PLAYBACK_STOPPED -> heardOut(event.getPlaybackStopped().getResponseId());
            case PLAYBACK_CLEARED -> heardOut(event.getPlaybackCleared().getResponseId());
            default -> {}
        }
    }

    @Override
    public void onTick(long nowNanos) {
        if (detector.speaking() && nowNanos - heardNanos > endOfSpeechNanos) {
            addSilence(endOfSpeechNanos / 1_000_000);
        }
        sendUnsent();
    }

    private void addSilence(long millis) {
        // No more than ends an utterance, however long the gap.
        long frames =
                Math.min(millis * 1_000_000, endOfSpeechNanos)
                        / 1_000_000
                        / UtteranceDetector.FRAME_MS;
        for (long i = 0; i < frames; i++) {
            addFrame(new short[frameLength]);
        }
    }

    private void addFrame(short[] frame) {
        utterance.add(frame);
        Verdict verdict = detector.add(frame);
        if (detector.speaking() && utterance.isFull()) {
            verdict = detector.stop();
        }
        switch (verdict) {
            case SILENCE -> utterance.trim();
            case STARTED -> interrupt();
            case SPEAKING -> {}
            case STOPPED -> sayBack();
        }
    }

    /** Barge-in: what the caller has not heard yet is no longer wanted. */
    private void interrupt() {
        if (!responseId.isEmpty()) {
            voice.clear(responseId);
            responseId = "";
            unsent = ByteString.EMPTY;
        }
    }

    private void sayBack() {
        short[] samples = utterance.take(Math.max(0, detector.quietFrames() - TAIL_FRAMES));
        if (detector.loudFrames() < SHORTEST_FRAMES) {
            return;
        }
        responses++;
        responseId = "parrot-" + responses;
        unsent = format.encode(samples);
        voice.transcribe(
                String.format(
                        Locale.ROOT,
                        "(heard %.1f s)",
                        samples.length / (double) format.sampleRateHz()));
        sendUnsent();
    }

    /** Sends as much as the edge takes, which may be all at once: pacing is the edge's work. */
    private void sendUnsent() {
        int chunk = format.sampleRateHz() * CHUNK_MS / 1_000 * format.bytesPerSample();
        while (!unsent.isEmpty() && voice.isReady()) {
            int length = Math.min(chunk, unsent.size());
            voice.say(unsent.substring(0, length), responseId);
            unsent = unsent.substring(length);
        }
    }

    private void heardOut(String finished) {
        // Between two chunks the edge can run dry and report the response as stopped.
        if (finished.equals(responseId) && unsent.isEmpty()) {
            responseId = "";
        }
    }
}
