package dev.parley.transceiver.media;

import com.google.protobuf.ByteString;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Hands a session's output to its media loop, from one other thread: the one that reads inference's
 * stream when it speaks Opus, else the one that encodes. What waits here and in the playout is
 * bounded by {@link Backlog}, to which audio, marks and clears are charged alike; a hang-up comes
 * once.
 */
public final class OutputInbox implements OutputTarget {
    private final Queue<OutputItem> items = new ConcurrentLinkedQueue<>();
    private final AtomicInteger frames = new AtomicInteger();
    private final AtomicBoolean awaited = new AtomicBoolean();
    private final Runnable onAwaited;

    /**
     * @param onAwaited run by the thread that hands over what was awaited
     */
    public OutputInbox(Runnable onAwaited) {
        this.onAwaited = onAwaited;
    }

    @Override
    public void audio(PlayedItem item, ByteString bytes, int samples) {
        item(
                new Frame(
                        item,
                        bytes.toByteArray(),
                        samples,
                        0,
                        Backlog.chargeBytes(bytes.size()),
                        item.saidNanos()));
    }

    @Override
    public void item(OutputItem item) {
        if (item instanceof Frame) {
            frames.incrementAndGet();
        }
        items.add(item);
        if (takeAwaited()) {
            onAwaited.run();
        }
    }

    /** The next item, or null; only the media loop asks. */
    public @Nullable OutputItem poll() {
        return items.poll();
    }

    /**
     * Has the next item told of, once; answers false when it is there. Only the media loop asks.
     */
    public boolean await() {
        if (!awaited.get()) {
            awaited.set(true);
        }
        // Who has put something here meanwhile may not have seen that.
        return items.isEmpty() || !takeAwaited();
    }

    private boolean takeAwaited() {
        return awaited.get() && awaited.compareAndSet(true, false);
    }

    /** Tells that frames were sent or cleared. */
    public void left(int frameCount) {
        frames.addAndGet(-frameCount);
    }

    /** Frames handed over and not yet sent or cleared. */
    public int framesAhead() {
        return frames.get();
    }
}
