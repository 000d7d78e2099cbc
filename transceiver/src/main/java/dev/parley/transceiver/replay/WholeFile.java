package dev.parley.transceiver.replay;

import dev.parley.transceiver.replay.RecordedCall.UnreadableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that are held in memory as a whole, and must not be larger than that can be. */
final class WholeFile {
    /** Hours of what a call records, or 23 minutes of 16-bit PCM at 48 kHz. */
    static final long MAX_BYTES = 128L << 20;

    private WholeFile() {}

    static byte[] bytes(Path file) throws IOException, UnreadableException {
        return Files.readAllBytes(fitting(file));
    }

    /** The same file, which is small enough. */
    static Path fitting(Path file) throws IOException, UnreadableException {
        if (Files.size(file) > MAX_BYTES) {
            throw new UnreadableException(
                    file, "has more than " + MAX_BYTES + " bytes: replay a part of it");
        }
        return file;
    }
}
