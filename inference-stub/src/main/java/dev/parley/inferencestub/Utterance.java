package dev.parley.inferencestub;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The frames of what a person is saying, and a little from before the detector noticed, so that the
 * first syllable is whole. Bounded: it never holds more than the longest utterance.
 */
final class Utterance {
    private final Deque<short[]> frames = new ArrayDeque<>();
    private final int preRollFrames;
    private final int maxFrames;

    Utterance(int preRollFrames, int maxFrames) {
        this.preRollFrames = preRollFrames;
        this.maxFrames = maxFrames;
    }

    void add(short[] frame) {
        frames.addLast(frame);
    }

    boolean isFull() {
        return frames.size() >= maxFrames;
    }

    /** Forgets all but the pre-roll; called while nobody speaks. */
    void trim() {
        while (frames.size() > preRollFrames) {
            frames.removeFirst();
        }
    }

    /** Takes out the samples, without the last frames. */
    short[] take(int withoutLastFrames) {
        for (int i = 0; i < withoutLastFrames && !frames.isEmpty(); i++) {
            frames.removeLast();
        }
        int length = 0;
        for (short[] frame : frames) {
            length += frame.length;
        }
        short[] samples = new short[length];
        int at = 0;
        for (short[] frame : frames) {
            System.arraycopy(frame, 0, samples, at, frame.length);
            at += frame.length;
        }
        frames.clear();
        return samples;
    }
}
