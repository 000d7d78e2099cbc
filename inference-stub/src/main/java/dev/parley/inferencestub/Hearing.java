package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;

/** Tells an agent when its caller's turn begins and what it was. Owned by the agent. */
sealed interface Hearing permits Ear, EdgeTurns {
    /** What an agent does about what is heard. */
    interface Listener {
        /** Somebody began to speak, or it was a noise that seemed so. */
        void onSpeech();

        /**
         * An utterance is over, or is to be answered now.
         *
         * @param samples from its first syllable to its last, in the input format's rate
         */
        void onUtterance(short[] samples);

        /**
         * The client asks for a response without the caller's having said anything new.
         *
         * @param responseId what the response is to be called
         * @param text what the client has written since the last one, tools' results too
         */
        void onRequest(String responseId, String text);
    }

    /** Listens by itself, or leaves that to the edge when that one speaks with the client. */
    static Hearing of(CallContext call, Listener listener) {
        return call.formats().realtime()
                ? new EdgeTurns(call, listener)
                : new Ear(call.config(), call.formats().input(), listener);
    }

    void onAudio(InputAudio audio, long nowNanos);

    void onEvent(ConverseRequest event);

    void onTick(long nowNanos);
}
