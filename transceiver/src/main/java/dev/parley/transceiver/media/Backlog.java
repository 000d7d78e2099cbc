package dev.parley.transceiver.media;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much output audio of a session waits to be sent, and with it whether the next message may be
 * read from inference. Shared: the thread that reads adds, the threads that send or clear subtract.
 *
 * <p>What waits unread hides a ClearAudio behind it, so a session reads far ahead: up to its high
 * water as long as {@link OutputMemory} has room, and up to {@link #SURE_SAMPLES} of it in at most
 * {@link #SURE_BYTES} whatever other sessions hold.
 */
public final class Backlog implements AutoCloseable {
    /**
     * What an item counts for at least, whatever audio is in it: as much as the shortest Opus
     * packet, so that marks or empty messages without end stop being read as well.
     */
    public static final int MIN_ITEM_SAMPLES = InputClock.RATE_HZ / 400;

    /** What every session may have waiting, however much the others hold: 30 s. */
    public static final long SURE_SAMPLES = 30L * InputClock.RATE_HZ;

    /**
     * Most memory that this takes: 30 s of Opus, or 10 s of PCM at 24 kHz, in messages of 20 ms.
     * Without it Opus packets of 2.5 ms and a thousand bytes would come to 15 MiB a call, and all
     * calls together to more than there is.
     */
    static final long SURE_BYTES = 512 << 10;

    /** What a queued item takes beside its audio: its record, array header, and place. */
    private static final int ITEM_OVERHEAD_BYTES = 96;

    /** Below any sum that a session could come to: nothing is counted any more. */
    private static final long CLOSED = Long.MIN_VALUE / 2;

    private final long highWaterSamples;
    private final OutputMemory memory;
    private final AtomicLong samples = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean withheld = new AtomicBoolean();

    /**
     * @param highWaterSamples audio at 48 kHz; with that much or more waiting nothing more is read
     */
    public Backlog(long highWaterSamples, OutputMemory memory) {
        this.highWaterSamples = highWaterSamples;
        this.memory = memory;
    }

    /**
     * Adds what was read; answers whether to read on. If not, a later {@link #remove} or {@link
     * #goesOn} will say so.
     */
    public boolean add(long addedSamples, long addedBytes) {
        count(addedBytes);
        samples.addAndGet(addedSamples);
        if (mayRead()) {
            return true;
        }
        withheld.set(true);
        // What was removed meanwhile did not see the flag.
        return mayRead() && withheld.compareAndSet(true, false);
    }

    /** Adds what nobody read: it holds no reading up. */
    public void addAnyway(long addedSamples, long addedBytes) {
        count(addedBytes);
        samples.addAndGet(addedSamples);
    }

    /** Subtracts what was sent or dropped; answers whether to read on now. */
    public boolean remove(long removedSamples, long removedBytes) {
        count(-removedBytes);
        samples.addAndGet(-removedSamples);
        return goesOn();
    }

    /**
     * Answers, once, that reading was held up and goes on. To be asked now and then though nothing
     * was removed: what other sessions held may have left.
     */
    public boolean goesOn() {
        return withheld.get() && mayRead() && withheld.compareAndSet(true, false);
    }

    private boolean mayRead() {
        long waiting = samples.get();
        long held = bytes.get();
        return waiting < highWaterSamples
                && ((waiting < SURE_SAMPLES && held < SURE_BYTES) || memory.hasRoomFor(held));
    }

    private void count(long change) {
        if (change != 0 && bytes.addAndGet(change) >= 0) {
            memory.add(change);
        }
    }

    /** The session is over: what it held is held no more. */
    @Override
    public void close() {
        long rest = bytes.getAndSet(CLOSED);
        if (rest > 0) {
            memory.add(-rest);
        }
    }

    /** What a message of audio counts for beyond its audio, until it is encoded or dropped. */
    static int surcharge(int samples) {
        return Math.max(0, MIN_ITEM_SAMPLES - samples);
    }

    /** What a message of audio counts for. */
    public static int charge(int samples) {
        return samples + surcharge(samples);
    }

    /** What a message of audio counts for in memory. */
    public static int chargeBytes(int audioBytes) {
        return audioBytes + ITEM_OVERHEAD_BYTES;
    }

    /** What an item with a name, of at most two bytes a letter, counts for in memory. */
    public static int chargeName(String name) {
        return chargeBytes(2 * name.length());
    }

    /** Audio that waits, at 48 kHz. */
    public long samples() {
        return samples.get();
    }
}
