package dev.parley.inferencestub;

import dev.parley.inferencestub.UtteranceDetector.Verdict;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import java.util.Arrays;

/**
 * Listens to one caller and tells its agent when an utterance begins and what it was. Cuts the
 * caller's audio into frames whatever the messages' lengths, and takes a gap in the offsets for the
 * silence that it is.
 */
final class Ear implements Hearing {
    private static final int PRE_ROLL_FRAMES = 15;

    /** Silence kept at the end of an utterance, so that it does not sound cut off. */
    private static final int TAIL_FRAMES = 8;

    /** Less voice than this, 120 ms, was a cough or a door. */
    private static final int SHORTEST_FRAMES = 6;

    private final Listener listener;
    private final WireFormat format;
    private final UtteranceDetector detector;
    private final Utterance utterance;
    private final long endOfSpeechNanos;
    private final int frameLength;

    private short[] partialFrame = new short[0];
    private long expectedOffsetMs;
    private long heardNanos;

    Ear(InferenceStubConfig config, WireFormat format, Listener listener) {
        this.listener = listener;
        this.format = format;
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
    public void onEvent(ConverseRequest event) {}

    /** Ends the utterance of a caller whose side has fallen silent for good. */
    @Override
    public void onTick(long nowNanos) {
        if (detector.speaking() && nowNanos - heardNanos > endOfSpeechNanos) {
            addSilence(endOfSpeechNanos / 1_000_000);
        }
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
            case STARTED -> listener.onSpeech();
            case SPEAKING -> {}
            case STOPPED -> ended();
        }
    }

    private void ended() {
        short[] samples = utterance.take(Math.max(0, detector.quietFrames() - TAIL_FRAMES));
        if (detector.loudFrames() >= SHORTEST_FRAMES) {
            listener.onUtterance(samples);
        }
    }
}
