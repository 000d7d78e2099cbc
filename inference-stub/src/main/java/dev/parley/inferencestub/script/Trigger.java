package dev.parley.inferencestub.script;

import java.util.Locale;

/** What a turn of a script waits for. */
public enum Trigger {
    /** Nothing: it follows the turn before at once, the first one the call's start. */
    NOW,
    /** The caller begins to speak. */
    SPEECH,
    /** The caller has finished an utterance. */
    UTTERANCE,
    /** A data-channel message of the client. */
    EVENT,
    /** The client asks for a response, having written or having called a tool. */
    REQUEST,
    /** A pressed key. */
    DTMF,
    /** All that was said has been sent to the caller. */
    PLAYED;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
