package dev.parley.transceiver.inference;

import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.Playout;

/**
 * Moves a call's output from inference to its playout, and tells inference what has left that, so
 * that more is read. Owned by the playout's thread.
 */
public final class OutputFeed {
    /** Output items taken in one turn, so that a flood of them holds no other session up. */
    private static final int MAX_ITEMS = 64;

    private final InferenceCall inference;
    private final Playout playout;
    private long leftFrames;
    private long leftSamples;
    private long leftBytes;
    private long leftOthers;

    public OutputFeed(InferenceCall inference, Playout playout) {
        this.inference = inference;
        this.playout = playout;
    }

    /** Takes what waits; answers whether more may wait after as much as one turn takes. */
    public boolean take() {
        for (int taken = 0; taken < MAX_ITEMS; taken++) {
            OutputItem item = inference.pollOutput();
            if (item == null) {
                return false;
            }
            playout.offer(item);
        }
        return true;
    }

    /** Has the call nudged by what comes next; answers whether it has come already. */
    public boolean await() {
        return !inference.awaitOutput();
    }

    /**
     * Tells inference what has left since the last time. Nothing has for as long as output is
     * paused, whose end may be among what is unread; so that is looked at even then.
     */
    public void tellLeft() {
        long frames = playout.leftFrames() - leftFrames;
        long samples = playout.leftSamples() - leftSamples;
        long bytes = playout.leftBytes() - leftBytes;
        long others = playout.leftOthers() - leftOthers;
        if (frames > 0 || others > 0) {
            leftFrames += frames;
            leftSamples += samples;
            leftBytes += bytes;
            leftOthers += others;
            inference.left((int) frames, samples + others * Backlog.MIN_ITEM_SAMPLES, bytes);
        } else {
            inference.lookAgain();
        }
    }
}
