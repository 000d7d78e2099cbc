package dev.parley.transceiver.inference;

import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.recording.CallTape;

/**
 * Keeps a caller's packets on their way to inference.
 *
 * @param to who gets them
 */
record TapedInput(CallTape tape, InputPath.Sink to) implements InputPath.Sink {
    @Override
    public void packet(InputPacket packet) {
        tape.input(packet);
        to.packet(packet);
    }

    @Override
    public void key(char key, int durationMillis) {
        tape.key(key, durationMillis);
        to.key(key, durationMillis);
    }
}
