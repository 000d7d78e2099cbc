package dev.parley.transceiver.media;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much output audio of a session waits to be sent, and with it whether the next message may be
 * read from inference. Shared: the thread that reads adds, the threads that send or clear subtract.
 */
public final class Backlog {
    /**
     * What an item counts for at least, whatever audio is in it: as much as the shortest Opus
     * packet, so that marks or empty messages without end stop being read as well.
     */
    public static final int MIN_ITEM_SAMPLES = InputClock.RATE_HZ / 400;

    private final long highWaterSamples;
    private final AtomicLong samples = new AtomicLong();
    private final AtomicBoolean withheld = new AtomicBoolean();

    /**
     * @param highWaterSamples audio at 48 kHz; with that much or more waiting nothing more is read
     */
    public Backlog(long highWaterSamples) {
        this.highWaterSamples = highWaterSamples;
    }

    /**
     * Adds what was read; answers whether to read on. If not, a later {@link #remove} will say so.
     */
    public boolean add(long addedSamples) {
        if (samples.addAndGet(addedSamples) < highWaterSamples) {
            return true;
        }
        withheld.set(true);
        // What was removed meanwhile did not see the flag.
        return samples.get() < highWaterSamples && withheld.compareAndSet(true, false);
    }

    /** Subtracts what was sent or dropped; answers whether to read on now. */
    public boolean remove(long removedSamples) {
        return samples.addAndGet(-removedSamples) < highWaterSamples
                && withheld.get()
                && withheld.compareAndSet(true, false);
    }

    /** What a message of audio counts for beyond its audio, until it is encoded or dropped. */
    static int surcharge(int samples) {
        return Math.max(0, MIN_ITEM_SAMPLES - samples);
    }

    /** What a message of audio counts for. */
    public static int charge(int samples) {
        return samples + surcharge(samples);
    }

    /** Audio that waits, at 48 kHz. */
    public long samples() {
        return samples.get();
    }
}
