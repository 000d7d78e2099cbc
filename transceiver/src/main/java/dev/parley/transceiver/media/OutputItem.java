package dev.parley.transceiver.media;

import java.util.List;

/** What the inference side wants done with the caller's ear, in order. */
public sealed interface OutputItem {
    /**
     * One RTP payload ready to be sent.
     *
     * @param item what it belongs to
     * @param payload an Opus packet or G.711; never changed after it was handed over
     * @param samples its length at 48 kHz
     * @param paddingSamples how many of them are silence that we added at the end
     * @param chargedBytes what the {@link Backlog} counts for it until it leaves
     * @param saidNanos when the last of its audio came from inference
     */
    @SuppressWarnings("ArrayRecordComponent") // One owner at a time, compared by no one.
    record Frame(
            PlayedItem item,
            byte[] payload,
            int samples,
            int paddingSamples,
            int chargedBytes,
            long saidNanos)
            implements OutputItem {
        /** Length of the audio that came from inference, at 48 kHz. */
        public int audioSamples() {
            return samples - paddingSamples;
        }
    }

    /**
     * Report when everything before it has been sent.
     *
     * @param cleared whether audio before it was cleared
     */
    record Mark(String name, boolean cleared) implements OutputItem {}

    /**
     * Drop what has not been sent.
     *
     * @param responseId only this response; empty for everything
     * @param droppedSamples audio that was dropped before it reached the queue, at 48 kHz
     * @param fadeMillis in how much time what is cut goes to zero, 0 for at once; more than there
     *     is audio or {@link #LAST_PACKET_MILLIS} have room for is shortened
     * @param fade packets that carry it, in the place of as much of what is dropped
     */
    record Clear(String responseId, long droppedSamples, int fadeMillis, List<Frame> fade)
            implements OutputItem {
        /** How long after a Clear the last packet of what it drops may leave. */
        public static final int LAST_PACKET_MILLIS = 40;

        /** Without a fade. */
        public Clear(String responseId, long droppedSamples) {
            this(responseId, droppedSamples, 0, List.of());
        }

        /** Whether it drops the item's audio. */
        boolean matches(PlayedItem item) {
            return responseId.isEmpty() || responseId.equals(item.responseId());
        }
    }

    /** Send nothing of the queue until further notice. */
    record Pause() implements OutputItem {}

    /** Go on where a pause stopped. */
    record Resume() implements OutputItem {}

    /** End the call when everything before it has been sent. */
    record Hangup(String message) implements OutputItem {}
}
