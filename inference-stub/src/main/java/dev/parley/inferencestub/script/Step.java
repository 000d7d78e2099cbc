package dev.parley.inferencestub.script;

import io.grpc.Status;
import java.time.Duration;

/**
 * One thing that a scripted agent does. The last five are faults, to see how the edge takes them.
 */
public sealed interface Step {
    /** Speaks a text, and tells it as a transcript. */
    record Say(String text) implements Step {}

    /** Plays 440 Hz. */
    record Tone(Duration length) implements Step {}

    /** Does nothing for a while. */
    record Pause(Duration length) implements Step {}

    /** Sends a transcript of the agent without speaking. */
    record Tell(String text) implements Step {}

    /**
     * Has the client call a tool, where the edge speaks the Realtime API's events with it.
     *
     * @param arguments JSON
     */
    record Call(String name, String arguments) implements Step {}

    /** Sends a text message to the client's first data channel. */
    record Event(String text) implements Step {}

    /** Sends a Mark. */
    record MarkHere(String name) implements Step {}

    /** Clears all audio. */
    record Clear() implements Step {}

    /** Ends the call when all was heard. */
    record HangUp(String message) implements Step {}

    /** Takes no message from the edge for a while, as a consumer that hangs. */
    record StopReading(Duration length) implements Step {}

    /** Ends the stream with a status in the middle of whatever it is doing. */
    record Fail(Status.Code code) implements Step {}

    /** Sends one audio message of so many bytes. */
    record Huge(int bytes) implements Step {}

    /** Sends half a sample. */
    record HalfSample() implements Step {}

    /** Sends SessionReady a second time. */
    record ReadyAgain() implements Step {}
}
