package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ResponseStatus;

/**
 * What an agent is saying: one response at a time, sent as fast as the edge takes it and taken back
 * when the caller interrupts.
 */
final class Answer {
    private static final int CHUNK_MS = 100;

    private final Voice voice;
    private final WireFormat format;
    private final boolean whole;

    /** The response that the caller may still be hearing; empty when none. */
    private String responseId = "";

    /** What is left to send of that response. */
    private ByteString unsent = ByteString.EMPTY;

    /**
     * An agent that says nothing yet.
     *
     * @param whole whether a response is all that is said at once
     */
    Answer(Voice voice, WireFormat format, boolean whole) {
        this.voice = voice;
        this.format = format;
        this.whole = whole;
    }

    /** Starts saying something; what was said before goes on first. */
    void say(String newResponseId, short[] samples) {
        responseId = newResponseId;
        unsent = format.encode(samples);
        sendUnsent();
    }

    /** Barge-in: what the caller has not heard yet is no longer wanted. */
    void interrupt() {
        if (!responseId.isEmpty()) {
            voice.clear(responseId);
            forget();
        }
    }

    private void forget() {
        voice.done(responseId, ResponseStatus.RESPONSE_STATUS_CANCELLED);
        responseId = "";
        unsent = ByteString.EMPTY;
    }

    /** Sends as much as the edge takes, which may be all at once: pacing is the edge's work. */
    void sendUnsent() {
        int chunk = format.sampleRateHz() * CHUNK_MS / 1_000 * format.bytesPerSample();
        while (!unsent.isEmpty() && voice.isReady()) {
            int length = Math.min(chunk, unsent.size());
            voice.say(unsent.substring(0, length), responseId);
            unsent = unsent.substring(length);
        }
        if (whole && unsent.isEmpty()) {
            voice.done(responseId, ResponseStatus.RESPONSE_STATUS_COMPLETED);
        }
    }

    /** Whether audio is left that the edge did not take yet. */
    boolean isSending() {
        return !unsent.isEmpty();
    }

    /** Learns from the edge's reports what the caller has heard. */
    void onEvent(ConverseRequest event) {
        switch (event.getMessageCase()) {
            // Only sent when the edge has a detector of its own, which hears it first.
            case SPEECH_STARTED -> {
                if (!event.getSpeechStarted().getKeepSpeaking()) {
                    interrupt();
                }
            }
            case RESPONSE_CANCELLED -> {
                if (event.getResponseCancelled().getResponseId().equals(responseId)) {
                    forget();
                }
            }
            case PLAYBACK_STOPPED -> heardOut(event.getPlaybackStopped().getResponseId());
            case PLAYBACK_CLEARED -> heardOut(event.getPlaybackCleared().getResponseId());
            default -> {}
        }
    }

    private void heardOut(String finished) {
        // Between two chunks the edge can run dry and report the response as stopped.
        if (finished.equals(responseId) && unsent.isEmpty()) {
            responseId = "";
        }
    }
}
