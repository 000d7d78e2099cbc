package dev.parley.transceiver.media;

import com.google.protobuf.ByteString;

/** Takes a session's output in order from the thread that reads inference's stream. */
public interface OutputTarget {
    /**
     * Audio in the session's output format.
     *
     * @param samples its length at 48 kHz
     */
    void audio(PlayedItem item, ByteString bytes, int samples);

    /** Anything but audio. */
    void item(OutputItem item);
}
