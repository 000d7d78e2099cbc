package dev.parley.inferencestub.script;

import java.time.Duration;
import java.util.List;

/**
 * A conversation written down: turns that are played one after the other, each once.
 *
 * @param readyAfter how long the call waits for its SessionReady
 */
public record Script(Duration readyAfter, List<Turn> turns) {
    /** Whether it needs a synthesizer. */
    public boolean speaks() {
        return turns.stream()
                .flatMap(turn -> turn.steps().stream())
                .anyMatch(Step.Say.class::isInstance);
    }

    /**
     * One turn.
     *
     * @param when what it waits for
     * @param matching text that the event must contain, or the key; empty for any
     * @param interruptible whether speech of the caller cuts it off, audio and steps
     * @param stutter pause after each 200 ms of audio
     */
    public record Turn(
            Trigger when,
            String matching,
            boolean interruptible,
            Duration stutter,
            List<Step> steps) {}
}
