package dev.parley.transceiver.session;

import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.Playout;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Lets a call's observer see what its playout tells. On the media loop. */
final class ObservedPlayout implements Playout.Listener {
    private final Playout.Listener listener;
    private final CallObserver observer;
    private final LongSupplier clock;

    /**
     * @param listener told everything, before the observer is
     * @param clock the media loop's
     */
    ObservedPlayout(Playout.Listener listener, CallObserver observer, LongSupplier clock) {
        this.listener = listener;
        this.observer = observer;
        this.clock = clock;
    }

    @Override
    public void started(PlayedItem item) {
        listener.started(item);
        observer.playbackStarted(item, clock.getAsLong());
    }

    @Override
    public void progressed(PlayedItem item) {
        listener.progressed(item);
    }

    @Override
    public void stopped(PlayedItem item) {
        listener.stopped(item);
        observer.playbackStopped(item, clock.getAsLong());
    }

    @Override
    public void cleared(@Nullable PlayedItem item, long clearedSamples) {
        listener.cleared(item, clearedSamples);
        observer.playbackCleared(item, InputClock.millis(clearedSamples), clock.getAsLong());
    }

    @Override
    public void paused(@Nullable PlayedItem item) {
        listener.paused(item);
    }

    @Override
    public void marked(OutputItem.Mark mark) {
        listener.marked(mark);
    }

    @Override
    public void hungUp(String message) {
        listener.hungUp(message);
    }
}
