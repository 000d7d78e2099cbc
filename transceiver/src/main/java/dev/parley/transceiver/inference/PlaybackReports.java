package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.MarkReached;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.proto.inference.v1.PlaybackPaused;
import dev.parley.proto.inference.v1.PlaybackProgress;
import dev.parley.proto.inference.v1.PlaybackStarted;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.Playout;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells inference what its output has come to. Called on the media loop. */
public final class PlaybackReports implements Playout.Listener {
    private final InferenceStream stream;
    private final Queue<String> marks;
    private final Consumer<String> onHangup;

    /**
     * @param marks names of the marks whose turn is still to come, in order; one leaves with each
     *     report
     * @param onHangup told when inference's hang-up has its turn
     */
    public PlaybackReports(InferenceStream stream, Queue<String> marks, Consumer<String> onHangup) {
        this.stream = stream;
        this.marks = marks;
        this.onHangup = onHangup;
    }

    @Override
    public void started(PlayedItem item) {
        stream.sendEvent(
                ConverseRequest.newBuilder()
                        .setPlaybackStarted(
                                PlaybackStarted.newBuilder()
                                        .setResponseId(item.responseId())
                                        .setItemId(item.itemId()))
                        .build());
    }

    @Override
    public void progressed(PlayedItem item) {
        stream.sendEvent(
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
        stream.sendEvent(
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
        if (item != null) {
            cleared.setResponseId(item.responseId())
                    .setItemId(item.itemId())
                    .setAudioEndMs(item.sentMillis());
        }
        stream.sendEvent(ConverseRequest.newBuilder().setPlaybackCleared(cleared).build());
    }

    @Override
    public void paused(@Nullable PlayedItem item) {
        PlaybackPaused.Builder paused = PlaybackPaused.newBuilder();
        if (item != null) {
            paused.setResponseId(item.responseId())
                    .setItemId(item.itemId())
                    .setAudioEndMs(item.sentMillis());
        }
        stream.sendEvent(ConverseRequest.newBuilder().setPlaybackPaused(paused).build());
    }

    @Override
    public void marked(OutputItem.Mark mark) {
        var _ = marks.poll();
        marked(mark.name(), mark.cleared());
    }

    /** The call is over: marks that wait are not going to be reached. */
    void ended() {
        for (String name = marks.poll(); name != null; name = marks.poll()) {
            marked(name, true);
        }
    }

    private void marked(String name, boolean cleared) {
        stream.sendEvent(
                ConverseRequest.newBuilder()
                        .setMarkReached(MarkReached.newBuilder().setName(name).setCleared(cleared))
                        .build());
    }

    @Override
    public void hungUp(String message) {
        onHangup.accept(message);
    }
}
