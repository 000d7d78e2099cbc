package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IcePath;
import dev.parley.transceiver.media.PlayedItem;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sees the milestones of one call, for those that tell its story. Called on the call's media loop
 * and on other threads of ours, now and then, never per packet; it must block on nothing. Times are
 * those of the media loop's clock.
 */
public interface CallObserver {
    /** Sees nothing. */
    CallObserver NONE = new CallObserver() {};

    /** Makes the observer of each call. */
    @FunctionalInterface
    interface Source {
        /** Observes nothing. */
        Source NONE = (_, _, _) -> CallObserver.NONE;

        /** A call is about to be set up, on the thread of the request that asks for it. */
        CallObserver observe(SessionId id, String model, long nowNanos);
    }

    /** The set-up has come to a point, for the first time. */
    default void reached(SetupPhases.Phase phase, long nowNanos) {}

    /** The call could not be set up; nothing else follows. */
    default void refused(String code, String message, long nowNanos) {}

    /**
     * The client has nominated a path: where packets go from now on.
     *
     * @param path to be read now, it changes
     */
    default void pathSelected(IcePath path, long nowNanos) {}

    /** The client has restarted ICE. */
    default void restarted(long nowNanos) {}

    /** The first packet of an item of the agent's output left, or the first after a gap in it. */
    default void playbackStarted(PlayedItem item, long nowNanos) {}

    /** The last packet of an item that there was has left. */
    default void playbackStopped(PlayedItem item, long nowNanos) {}

    /**
     * The agent was interrupted.
     *
     * @param item what was cut, null when nothing was being played
     * @param clearedMillis audio that will not be heard
     */
    default void playbackCleared(@Nullable PlayedItem item, long clearedMillis, long nowNanos) {}

    /** The caller began to speak, as our detection has it. */
    default void speechStarted(long nowNanos) {}

    /** The caller fell silent, as our detection has it. */
    default void speechStopped(long nowNanos) {}

    /**
     * The stream to inference broke, and another one is looked for.
     *
     * @param status the gRPC status that it broke with
     */
    default void inferenceLost(String status, long nowNanos) {}

    /** Another stream to inference goes on. */
    default void inferenceResumed(long nowNanos) {}

    /** Puts what it knows of the call, for people to look at; on any thread. */
    default void describe(Map<String, Object> into) {}

    /** The call is over; nothing else follows. */
    default void ended(EndedCall how) {}
}
