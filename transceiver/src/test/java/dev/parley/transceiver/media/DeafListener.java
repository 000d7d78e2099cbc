package dev.parley.transceiver.media;

import dev.parley.transceiver.media.OutputItem.Mark;
import org.jspecify.annotations.Nullable;

/** Hears nothing of what happens to the output. */
final class DeafListener implements Playout.Listener {
    @Override
    public void started(PlayedItem item) {}

    @Override
    public void progressed(PlayedItem item) {}

    @Override
    public void stopped(PlayedItem item) {}

    @Override
    public void cleared(@Nullable PlayedItem item, long clearedSamples) {}

    @Override
    public void paused(@Nullable PlayedItem item) {}

    @Override
    public void marked(Mark mark) {}

    @Override
    public void hungUp(String message) {}
}
