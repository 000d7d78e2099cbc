package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.speech.SpeechSettings;
import org.jspecify.annotations.Nullable;

/**
 * A protocol of events that the edge speaks with a call's clients so that inference need not know
 * it. It stands between them: what clients say, what inference sends and what the edge reports
 * comes to it in order, and what becomes of it goes out through an {@link Edge}. It sees no socket,
 * thread or clock; owned by the call's event thread, which alone calls it.
 */
public interface EventSurface {
    /** Makes the surface of one call. */
    interface Factory {
        /**
         * Makes it before anything comes.
         *
         * @param ready inference's choice of it
         * @param nowNanos the clock of {@link #onTimer}
         */
        EventSurface make(SessionStart start, SessionReady ready, Edge edge, long nowNanos);
    }

    /** What a surface can have the edge do. Nothing here blocks. */
    interface Edge {
        /** Tells every client something, in order. */
        void tellAll(String event);

        /** Tells one client something. */
        void tell(EventClient client, String event);

        /** Passes on what inference says to a data channel by itself. */
        void pass(ConverseResponse message);

        /** Sends inference a message; what came with {@link #fromEdge} does not go by itself. */
        void toInference(ConverseRequest message);

        /** Stops output at once as if inference had sent a ClearAudio. */
        void clear(String responseId);

        /** Drops what still comes of a response, and leaves what is queued of it. */
        void refuse(String responseId);

        /** Listens for speech so from now on; null not at all. */
        void detectSpeech(@Nullable SpeechSettings settings);

        /** End of the caller's audio so far, milliseconds on its clock. */
        long inputMillis();
    }

    /** Never: {@link #onTimer} has nothing to do. */
    long NEVER = Long.MAX_VALUE;

    /** A client is there, or the channel of one is there again. */
    void attached(EventClient client);

    /** A client says something, which may be anything. */
    void said(EventClient client, String text, long nowNanos);

    /** Inference sends something. Of OutputAudio only the names come, when they change. */
    void fromInference(ConverseResponse message, long nowNanos);

    /** The edge reports something that is meant for inference. */
    void fromEdge(ConverseRequest message, long nowNanos);

    /** When {@link #onTimer} has something to do next, or {@link #NEVER}. */
    long deadlineNanos();

    void onTimer(long nowNanos);
}
