package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.MarkReached;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.proto.inference.v1.PlaybackPaused;
import dev.parley.proto.inference.v1.PlaybackProgress;
import dev.parley.proto.inference.v1.PlaybackStarted;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.Playout;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Tells inference what its output has come to. Called on the media loop. */
public final class PlaybackReports implements Playout.Listener {
    /**
     * What the media loop will report on, in the order in which it was handed on.
     *
     * @param marks names of marks
     * @param clears responses that ClearAudio has named
     */
    record Awaited(Queue<String> marks, Queue<String> clears) {
        Awaited() {
            this(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        }
    }

    private final Consumer<ConverseRequest> sink;
    private final Awaited awaited;
    private final LongConsumer released;
    private final Consumer<String> onHangup;
    private volatile @Nullable PlayedItem latest;

    /**
     * @param sink takes the reports
     * @param awaited what is still to be reported; one leaves with each report
     * @param released told how many bytes the {@link Backlog} has counted for what has left
     * @param onHangup told when inference's hang-up has its turn
     */
    PlaybackReports(
            Consumer<ConverseRequest> sink,
            Awaited awaited,
            LongConsumer released,
            Consumer<String> onHangup) {
        this.sink = sink;
        this.awaited = awaited;
        this.released = released;
        this.onHangup = onHangup;
    }

    /** What the caller has begun to hear last, null when nothing; any thread may ask. */
    @Nullable PlayedItem latest() {
        return latest;
    }

    @Override
    public void started(PlayedItem item) {
        latest = item;
        sink.accept(
                ConverseRequest.newBuilder()
                        .setPlaybackStarted(
                                PlaybackStarted.newBuilder()
                                        .setResponseId(item.responseId())
                                        .setItemId(item.itemId()))
                        .build());
    }

    @Override
    public void progressed(PlayedItem item) {
        sink.accept(
                ConverseRequest.newBuilder()
                        .setPlaybackProgress(
                                PlaybackProgress.newBuilder()
                                        .setResponseId(item.responseId())
                                        .setItemId(item.itemId())
                                        .setAudioEndMs(item.sentMillis()))
                        .build());
    }

    @Override
    public void stopped(PlayedItem item) {
        sink.accept(
                ConverseRequest.newBuilder()
                        .setPlaybackStopped(
                                PlaybackStopped.newBuilder()
                                        .setResponseId(item.responseId())
                                        .setItemId(item.itemId())
                                        .setAudioEndMs(item.sentMillis()))
                        .build());
    }

    @Override
    public void cleared(@Nullable PlayedItem item, long clearedSamples) {
        PlaybackCleared.Builder cleared =
                PlaybackCleared.newBuilder().setClearedMs(InputClock.millis(clearedSamples));
        String asked = awaited.clears().poll();
        if (asked != null) {
            released.accept(Backlog.chargeName(asked));
            cleared.setClearedResponseId(asked);
        }
        if (item != null) {
            cleared.setResponseId(item.responseId())
                    .setItemId(item.itemId())
                    .setAudioEndMs(item.sentMillis());
        }
        sink.accept(ConverseRequest.newBuilder().setPlaybackCleared(cleared).build());
    }

    @Override
    public void paused(@Nullable PlayedItem item) {
        PlaybackPaused.Builder paused = PlaybackPaused.newBuilder();
        if (item != null) {
            paused.setResponseId(item.responseId())
                    .setItemId(item.itemId())
                    .setAudioEndMs(item.sentMillis());
        }
        sink.accept(ConverseRequest.newBuilder().setPlaybackPaused(paused).build());
    }

    @Override
    public void marked(OutputItem.Mark mark) {
        var _ = awaited.marks().poll();
        released.accept(Backlog.chargeName(mark.name()));
        marked(mark.name(), mark.cleared());
    }

    /** The call is over: marks that wait are not going to be reached. */
    void ended() {
        Queue<String> marks = awaited.marks();
        for (String name = marks.poll(); name != null; name = marks.poll()) {
            marked(name, true);
        }
    }

    private void marked(String name, boolean cleared) {
        sink.accept(
                ConverseRequest.newBuilder()
                        .setMarkReached(MarkReached.newBuilder().setName(name).setCleared(cleared))
                        .build());
    }

    @Override
    public void hungUp(String message) {
        onHangup.accept(message);
    }
}
