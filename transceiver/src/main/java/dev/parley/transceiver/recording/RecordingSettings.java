package dev.parley.transceiver.recording;

import java.nio.file.Path;

/**
 * Which calls are recorded, and where to.
 *
 * @param folder takes the files
 * @param choice which calls
 * @param maxBytes what the folder may hold; beyond it nothing is recorded
 */
public record RecordingSettings(Path folder, Choice choice, long maxBytes) {
    /** Which calls are recorded. */
    public enum Choice {
        /** Those whose backend asks for it in its SessionReady. */
        ASKED,
        /** All of them. */
        ALL
    }
}
