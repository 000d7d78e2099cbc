package dev.parley.inferencestub;

import java.util.Arrays;

/**
 * How loud a caller's room is while nobody speaks: the quietest frame of the last four seconds.
 * Speech has gaps, so it does not raise the floor, while a fan that is switched on does after four
 * seconds.
 */
final class NoiseFloor {
    private static final int FRAMES_PER_WINDOW = 25;
    private static final int WINDOWS = 8;
    private static final double LOWEST_DBFS = -65;
    private static final double HIGHEST_DBFS = -35;

    /** Quieter than any microphone: a muted one, which says nothing of the room. */
    private static final double MUTED_DBFS = -85;

    private final double[] quietest = new double[WINDOWS];
    private int window;
    private int framesInWindow;

    NoiseFloor() {
        Arrays.fill(quietest, Double.POSITIVE_INFINITY);
    }

    /** Takes the level of the next 20 ms. */
    void add(double levelDbfs) {
        if (levelDbfs < MUTED_DBFS) {
            return;
        }
        quietest[window] = Math.min(quietest[window], levelDbfs);
        framesInWindow++;
        if (framesInWindow == FRAMES_PER_WINDOW) {
            framesInWindow = 0;
            window = (window + 1) % WINDOWS;
            quietest[window] = Double.POSITIVE_INFINITY;
        }
    }

    /** The floor, kept within what rooms are like so that a first frame cannot mislead. */
    double dbfs() {
        double floor = Double.POSITIVE_INFINITY;
        for (double level : quietest) {
            floor = Math.min(floor, level);
        }
        return Math.clamp(floor, LOWEST_DBFS, HIGHEST_DBFS);
    }
}
