package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;

/**
 * What a model does in one call. Its conversation owns it and never makes two calls at once. None
 * of them may block: they run on the thread that serves other calls too.
 */
sealed interface Agent
        permits EchoAgent, ParrotAgent, ScriptedAgent, SilenceAgent, SpeakAgent, ToneAgent {
    /** A piece of the caller's audio, already checked against the contract. */
    default void onAudio(InputAudio audio, long nowNanos) {}

    /** Any other message after session_start: playback reports, keys, data-channel messages. */
    default void onEvent(ConverseRequest event) {}

    /** First once the call is accepted, then about every 50 ms and when the edge can take more. */
    default void onTick(long nowNanos) {}
}
