package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseResponse;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What inference has for the client's data channels, on its way to the media loop. The thread that
 * reads the stream adds, the loop takes. Bounded: what does not fit stops the stream, or, while no
 * channel is there that could empty it, is dropped, so that an absent channel never stops the
 * audio.
 */
public final class ServerEvents {
    /** With that much waiting nothing more is read. */
    private static final long HIGH_WATER_BYTES = 256 * 1024;

    /** May wait for the first channel. */
    private static final long EARLY_BYTES = 64 * 1024;

    /** About what a queued message takes beside its content. */
    private static final int OVERHEAD_BYTES = 128;

    /** Whether there are channels. */
    private enum Channels {
        AWAITED,
        THERE,
        NEVER
    }

    private final Queue<ConverseResponse> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicBoolean withheld = new AtomicBoolean();
    private volatile Channels channels = Channels.AWAITED;

    /** Adds a message; answers whether to read on. If not, a later {@link #left} will say so. */
    boolean add(ConverseResponse message) {
        long charge = charge(message);
        boolean early = channels == Channels.AWAITED && bytes.get() + charge > EARLY_BYTES;
        if (channels == Channels.NEVER || early) {
            dropped.incrementAndGet();
            return true;
        }
        bytes.addAndGet(charge);
        waiting.add(message);
        if (bytes.get() < HIGH_WATER_BYTES) {
            return true;
        }
        withheld.set(true);
        // What left meanwhile did not see the flag.
        return mayRead() && withheld.compareAndSet(true, false);
    }

    private static long charge(ConverseResponse message) {
        return message.getSerializedSize() + (long) OVERHEAD_BYTES;
    }

    private boolean mayRead() {
        return bytes.get() < HIGH_WATER_BYTES / 2;
    }

    /** Whether more should be added of what can wait elsewhere. */
    boolean hasRoom() {
        return bytes.get() < HIGH_WATER_BYTES;
    }

    /** Of what waits, with something for each message. */
    long waitingBytes() {
        return bytes.get();
    }

    /** Whether reading waits for some of it to leave. */
    boolean isWithheld() {
        return withheld.get();
    }

    /** The next one, or null; it counts until {@link #left}. */
    @Nullable ConverseResponse poll() {
        return waiting.poll();
    }

    /** Has been sent or dropped; answers whether to read on now. */
    boolean left(ConverseResponse message) {
        bytes.addAndGet(-charge(message));
        return withheld.get() && mayRead() && withheld.compareAndSet(true, false);
    }

    /** A channel is there, which empties this. */
    void channelOpened() {
        channels = Channels.THERE;
    }

    /** No channel was negotiated. */
    void noChannels() {
        channels = Channels.NEVER;
        waiting.clear();
    }

    /** Messages that no channel could take. */
    long takeDropped() {
        return dropped.getAndSet(0);
    }
}
