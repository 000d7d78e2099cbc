package dev.parley.inferencestub;

/**
 * Tells where a person starts and stops speaking, by energy over an adaptive noise floor. It works
 * on frames of 20 ms and knows no clock. Good enough to talk to; a product would use a model.
 */
final class UtteranceDetector {
    static final int FRAME_MS = 20;

    private static final double START_OVER_FLOOR_DB = 10;
    private static final double STOP_OVER_FLOOR_DB = 6;

    /** Nothing quieter than this is somebody speaking into the microphone. */
    private static final double QUIETEST_SPEECH_DBFS = -52;

    /**
     * Speech starts when this many of the last four frames are loud: 60 ms, longer than a click.
     */
    private static final int FRAMES_TO_START = 3;

    private static final int START_WINDOW_MASK = 0b1111;

    /** Between two utterances there is at least a gap of 100 ms. */
    private static final int FRAMES_BETWEEN = 5;

    /** What a frame meant. */
    enum Verdict {
        SILENCE,
        STARTED,
        SPEAKING,
        STOPPED
    }

    private final NoiseFloor floor = new NoiseFloor();
    private final int framesToStop;
    private int recentlyLoud;
    private int quietFrames;
    private int loudFrames;
    private boolean speaking;
    private boolean pauseDue;

    /**
     * @param endOfSpeechMs silence that ends an utterance
     */
    UtteranceDetector(long endOfSpeechMs) {
        framesToStop = (int) (endOfSpeechMs / FRAME_MS);
    }

    boolean speaking() {
        return speaking;
    }

    /** Frames of silence that have followed the last loud one. */
    int quietFrames() {
        return quietFrames;
    }

    /** Loud frames of this utterance, or of the last one: how much of it was voice. */
    int loudFrames() {
        return loudFrames;
    }

    Verdict add(short[] frame) {
        double level = Levels.rmsDbfs(frame);
        floor.add(level);
        double overFloor = speaking ? STOP_OVER_FLOOR_DB : START_OVER_FLOOR_DB;
        boolean loud = level > Math.max(floor.dbfs() + overFloor, QUIETEST_SPEECH_DBFS);
        quietFrames = loud ? 0 : quietFrames + 1;
        if (speaking) {
            loudFrames += loud ? 1 : 0;
            return quietFrames < framesToStop ? Verdict.SPEAKING : stop();
        }
        pauseDue = pauseDue && quietFrames < FRAMES_BETWEEN;
        recentlyLoud = ((recentlyLoud << 1) | (loud ? 1 : 0)) & START_WINDOW_MASK;
        if (pauseDue || Integer.bitCount(recentlyLoud) < FRAMES_TO_START) {
            return Verdict.SILENCE;
        }
        speaking = true;
        loudFrames = FRAMES_TO_START;
        return Verdict.STARTED;
    }

    /** Ends the utterance whatever is heard; the next one starts after a pause. */
    Verdict stop() {
        speaking = false;
        recentlyLoud = 0;
        pauseDue = true;
        return Verdict.STOPPED;
    }
}
