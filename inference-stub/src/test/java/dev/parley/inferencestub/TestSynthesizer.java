package dev.parley.inferencestub;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Speaks 100 ms per word, once the test lets it. */
final class TestSynthesizer implements Synthesizer {
    final List<String> texts = new ArrayList<>();
    boolean installed = true;
    private final Deque<CompletableFuture<short[]>> asked = new ArrayDeque<>();
    private int rateHz;

    @Override
    public boolean available() {
        return installed;
    }

    @Override
    public CompletableFuture<short[]> speak(String text, int rate) {
        texts.add(text);
        rateHz = rate;
        CompletableFuture<short[]> speech = new CompletableFuture<>();
        asked.add(speech);
        return speech;
    }

    /** Finishes the oldest sentence. */
    void finish() {
        short[] samples = new short[rateHz / 10 * texts.getLast().split(" ").length];
        Arrays.fill(samples, (short) 1_000);
        asked.remove().complete(samples);
    }

    void fail() {
        asked.remove().completeExceptionally(new IllegalStateException("no voice"));
    }
}
