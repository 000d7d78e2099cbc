package dev.parley.transceiver.media;

import dev.parley.transceiver.media.OutputItem.Clear;
import dev.parley.transceiver.media.OutputItem.Frame;
import dev.parley.transceiver.media.OutputItem.Hangup;
import dev.parley.transceiver.media.OutputItem.Mark;
import dev.parley.transceiver.media.OutputItem.Pause;
import dev.parley.transceiver.media.OutputItem.Resume;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A session's output queue: what is to be said, how far it was said, what was cut. Owned by the
 * media loop, which asks for the next packet whenever one is due and sends silence when there is
 * none.
 */
public final class Playout {
    /** Hears what happened to the output, on the loop's thread. */
    public interface Listener {
        /** The first packet of an item, or the first after the queue ran dry or a pause, leaves. */
        void started(PlayedItem item);

        /** Another second of the item has left. */
        void progressed(PlayedItem item);

        /** The last queued packet of an item has left and been played out. */
        void stopped(PlayedItem item);

        /**
         * A ClearAudio was carried out, and its fade has left.
         *
         * @param item what was playing and is cut, or null when it was nothing of that
         * @param clearedSamples audio dropped, at 48 kHz
         */
        void cleared(@Nullable PlayedItem item, long clearedSamples);

        /**
         * A PauseAudio was carried out.
         *
         * @param item what was playing, or null when nothing was
         */
        void paused(@Nullable PlayedItem item);

        /** A mark's turn has come. */
        void marked(Mark mark);

        /** Everything before a hang-up has left. */
        void hungUp(String message);
    }

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int PROGRESS_SAMPLES = InputClock.RATE_HZ;

    private final int cushionSamples;
    private final long cushionNanos;
    private final Listener listener;
    private final ArrayDeque<OutputItem> queue = new ArrayDeque<>();
    private final ArrayDeque<Frame> fading = new ArrayDeque<>();
    private long clearedSamples;
    private long queuedSamples;
    private long leftFrames;
    private long leftSamples;
    private long leftBytes;
    private long leftOthers;
    private @Nullable PlayedItem playing;
    private boolean spurtStart;
    private boolean paused;
    private boolean resumed;
    private int unreportedSamples;

    /**
     * @param cushionSamples audio at 48 kHz that should be queued behind the first packet before it
     *     leaves; it waits no longer than that long
     */
    public Playout(int cushionSamples, Listener listener) {
        this.cushionSamples = cushionSamples;
        this.cushionNanos = cushionSamples * NANOS_PER_SECOND / InputClock.RATE_HZ;
        this.listener = listener;
    }

    /** How long the first packet of a spurt waits for the next one at most. */
    long cushionNanos() {
        return cushionNanos;
    }

    /** Takes the next item from inference. */
    public void offer(OutputItem item) {
        switch (item) {
            case Frame frame -> {
                queuedSamples += frame.samples();
                queue.add(frame);
            }
            case Mark mark -> {
                queue.add(mark);
                reportMarks();
            }
            case Hangup hangup -> {
                queue.add(hangup);
                // Nobody is left to say that it should go on.
                resume();
            }
            case Clear clear -> clear(clear);
            case Pause _ -> pause();
            case Resume _ -> {
                leftOthers++;
                resume();
            }
        }
    }

    /** The packet that is due now, or null when silence is. */
    public @Nullable Frame poll(long nowNanos) {
        if (!fading.isEmpty()) {
            Frame frame = pollFade(nowNanos);
            if (frame != null) {
                return frame;
            }
        }
        reportMarks();
        if (paused) {
            return null;
        }
        switch (queue.peek()) {
            case Frame frame when playing != null || cushioned(frame, nowNanos) -> {
                // It stays until its Clear comes, which says what of it was dropped.
                if (!frame.item().take(nowNanos)) {
                    return null;
                }
                queue.remove();
                leave(frame);
                send(frame);
                reportMarks();
                return frame;
            }
            case Hangup hangup -> {
                queue.remove();
                stop();
                listener.hungUp(hangup.message());
            }
            case null -> stop();
            case Frame _, Mark _, Clear _, Pause _, Resume _ -> {}
        }
        return null;
    }

    /**
     * When the first packet of what waits may leave at the earliest, in silence; {@link
     * Long#MAX_VALUE} when nothing waits for its time.
     */
    long firstNanos(long nowNanos) {
        if (paused || playing != null || !(queue.peek() instanceof Frame first)) {
            return Long.MAX_VALUE;
        }
        return cushioned(first, nowNanos) ? nowNanos : first.saidNanos() + cushionNanos;
    }

    /** Whether there is nothing to say, though nothing keeps the source from it. */
    boolean dry() {
        return !paused && fading.isEmpty() && !(queue.peek() instanceof Frame);
    }

    /** Whether the packet that {@link #poll} answered last is the first after silence. */
    public boolean spurtStart() {
        return spurtStart;
    }

    /** Audio that waits, at 48 kHz. */
    public long queuedSamples() {
        return queuedSamples;
    }

    /** Frames that were sent or cleared so far. */
    public long leftFrames() {
        return leftFrames;
    }

    /** Audio from inference that was sent or cleared so far, at 48 kHz. */
    public long leftSamples() {
        return leftSamples;
    }

    /** What the {@link Backlog} counted for the frames that were sent or cleared so far, bytes. */
    public long leftBytes() {
        return leftBytes;
    }

    /** Items that are no audio and whose turn has come so far. */
    public long leftOthers() {
        return leftOthers;
    }

    private boolean cushioned(Frame first, long nowNanos) {
        return queuedSamples - first.samples() >= cushionSamples
                // The loop comes for it no earlier than now, however long ago it came.
                || nowNanos - first.saidNanos() >= cushionNanos;
    }

    private void send(Frame frame) {
        PlayedItem before = playing;
        spurtStart = before == null || resumed;
        PlayedItem item = frame.item();
        if (before != item) {
            if (before != null) {
                listener.stopped(before);
            }
            playing = item;
            unreportedSamples = 0;
            listener.started(item);
        } else if (resumed) {
            listener.started(item);
        }
        resumed = false;
        item.sent(frame.audioSamples());
        unreportedSamples += frame.audioSamples();
        if (unreportedSamples >= PROGRESS_SAMPLES) {
            unreportedSamples -= PROGRESS_SAMPLES;
            listener.progressed(item);
        }
    }

    /** Nothing more will be sent: says how far what was playing has come. */
    public void end() {
        endFade();
        stop();
    }

    private void pause() {
        endFade();
        leftOthers++;
        paused = true;
        listener.paused(playing);
    }

    private void resume() {
        resumed = paused && playing != null;
        paused = false;
    }

    private void stop() {
        // A cut item is not over: PlaybackCleared will tell what became of it.
        if (playing != null && !playing.isCut()) {
            listener.stopped(playing);
            playing = null;
        }
    }

    private void reportMarks() {
        while (fading.isEmpty() && queue.peek() instanceof Mark mark) {
            queue.remove();
            leftOthers++;
            listener.marked(mark);
        }
    }

    private void clear(Clear clear) {
        endFade();
        leftOthers++;
        boolean heard = playing != null && clear.matches(playing) && !paused;
        // Who was interrupted for good is not to wait for the next thing to be said.
        resume();
        long dropped = 0;
        // A mark right behind dropped audio was not reached by sending it.
        boolean droppedBefore = false;
        for (int i = queue.size(); i > 0; i--) {
            switch (queue.remove()) {
                case Frame frame when clear.matches(frame.item()) -> {
                    dropped += frame.audioSamples();
                    leave(frame);
                    droppedBefore = true;
                }
                case Mark mark -> queue.add(new Mark(mark.name(), mark.cleared() || droppedBefore));
                case Frame frame -> {
                    queue.add(frame);
                    droppedBefore = false;
                }
                case OutputItem other -> queue.add(other);
            }
        }
        clearedSamples = dropped + clear.droppedSamples();
        if (heard && !clear.fade().isEmpty()) {
            fading.addAll(clear.fade());
        } else {
            cleared(playing != null && clear.matches(playing) ? playing : null);
        }
    }

    private @Nullable Frame pollFade(long nowNanos) {
        Frame frame = fading.remove();
        if (frame.item().isOver(nowNanos)) {
            endFade();
            return null;
        }
        clearedSamples -= frame.audioSamples();
        send(frame);
        if (fading.isEmpty()) {
            cleared(playing);
        }
        return frame;
    }

    /** Whatever comes in the middle of a fade has it end at once. */
    private void endFade() {
        if (!fading.isEmpty()) {
            fading.clear();
            cleared(playing);
        }
    }

    private void cleared(@Nullable PlayedItem cut) {
        if (cut != null) {
            playing = null;
            resumed = false;
        }
        listener.cleared(cut, clearedSamples);
        reportMarks();
    }

    private void leave(Frame frame) {
        queuedSamples -= frame.samples();
        leftFrames++;
        leftSamples += frame.audioSamples();
        leftBytes += frame.chargedBytes();
    }
}
