package dev.parley.transceiver.speech;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The caller that the end-to-end tests play: 7.8 s of speech with pauses, mono at 16 kHz. */
public final class CallerVoice {
    private static final int HEADER_BYTES = 44;

    private CallerVoice() {}

    public static short[] samples() {
        Path path = Path.of("..", "e2e", "src", "test", "resources", "speech", "caller.wav");
        try {
            ByteBuffer wav = ByteBuffer.wrap(Files.readAllBytes(path));
            short[] pcm = new short[(wav.capacity() - HEADER_BYTES) / Short.BYTES];
            wav.order(ByteOrder.LITTLE_ENDIAN).position(HEADER_BYTES).asShortBuffer().get(pcm);
            return pcm;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
