package dev.parley.transceiver.media;

import com.google.protobuf.ByteString;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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

    @Override
    public void audio(PlayedItem item, ByteString bytes, int samples) {
        item(new Frame(item, bytes.toByteArray(), samples, 0, Backlog.chargeBytes(bytes.size())));
    }

    @Override
    public void item(OutputItem item) {
        if (item instanceof Frame) {
            frames.incrementAndGet();
        }
        items.add(item);
    }

    /** The next item, or null; only the media loop asks. */
    public @Nullable OutputItem poll() {
        return items.poll();
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
