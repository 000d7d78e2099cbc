package dev.parley.inferencestub;

import java.util.concurrent.CompletableFuture;

/** Turns text into speech. Any thread may ask; none of the methods blocks. */
interface Synthesizer {
    /** Whether it can speak on this machine. */
    boolean available();

    /**
     * Speaks a text.
     *
     * @return samples at {@code rateHz}; fails when the text could not be spoken
     */
    CompletableFuture<short[]> speak(String text, int rateHz);
}
