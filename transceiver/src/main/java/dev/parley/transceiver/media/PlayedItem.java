package dev.parley.transceiver.media;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A piece of a response (OutputAudio's {@code response_id} and {@code item_id}) and how far it has
 * been sent. The names are fixed; the position belongs to the media loop; the thread that reads
 * inference's stream cuts it.
 *
 * <p>A cut is a limit on the frames that the media loop may take, kept in one word with the number
 * that it has taken: who cuts knows to the frame what the caller hears last, whatever the loop does
 * meanwhile.
 */
public final class PlayedItem {
    private static final int UNLIMITED = Integer.MAX_VALUE;

    /** How far an item was sent, shared by what came of it before and after a cut. */
    private static final class Position {
        /** Written by the media loop alone. */
        final AtomicLong sentSamples = new AtomicLong();
    }

    private final String responseId;
    private final String itemId;
    private final Position position;

    /** Frames taken in the upper half, the limit in the lower. */
    private final AtomicLong state = new AtomicLong(UNLIMITED);

    private volatile long lastNanos;
    private volatile long saidNanos;
    private int made;

    public PlayedItem(String responseId, String itemId) {
        this(responseId, itemId, new Position());
    }

    private PlayedItem(String responseId, String itemId, Position position) {
        this.responseId = responseId;
        this.itemId = itemId;
        this.position = position;
    }

    public String responseId() {
        return responseId;
    }

    public String itemId() {
        return itemId;
    }

    /** Audio of it has come. */
    public void said(long nowNanos) {
        saidNanos = nowNanos;
    }

    /** When audio of it came last. */
    long saidNanos() {
        return saidNanos;
    }

    /** Lets nothing more of it leave, at once; a Clear on its way through the queues follows. */
    public void cut() {
        cutAfter(0, 0);
    }

    /**
     * Lets so many more frames leave at most, and none after a time; a Clear that is on its way
     * makes a fade of them.
     */
    public void cutAfter(int frames, long untilNanos) {
        lastNanos = untilNanos;
        long before = state.get();
        while (!state.compareAndSet(before, state(taken(before), taken(before) + frames))) {
            before = state.get();
        }
    }

    /** Cuts it if exactly so many frames have been taken; answers whether that was so. */
    boolean cutAt(int frames) {
        long before = state.get();
        return taken(before) == frames && state.compareAndSet(before, state(frames, frames));
    }

    /** Takes a frame for sending; answers false when it may not leave. */
    boolean take(long nowNanos) {
        long before = state.get();
        while (taken(before) < limit(before) && !(isLimited(before) && isOver(nowNanos))) {
            if (state.compareAndSet(before, before + (1L << Integer.SIZE))) {
                return true;
            }
            before = state.get();
        }
        return false;
    }

    /** Whether the time in which some of it may leave after a Clear is over. */
    boolean isOver(long nowNanos) {
        return nowNanos - lastNanos > 0;
    }

    /** Frames taken for sending. */
    int taken() {
        return taken(state.get());
    }

    /** Frames that may still leave. */
    int takeable() {
        long now = state.get();
        return limit(now) - taken(now);
    }

    /** Number of the next frame that is made of it; for the thread that encodes. */
    int nextMade() {
        return made++;
    }

    /** Whether a Clear is on its way that lets little of it leave, or nothing. */
    public boolean isCut() {
        return isLimited(state.get());
    }

    private static boolean isLimited(long state) {
        return limit(state) != UNLIMITED;
    }

    private static int taken(long state) {
        return (int) (state >>> Integer.SIZE);
    }

    private static int limit(long state) {
        return (int) state;
    }

    private static long state(int taken, int limit) {
        return (long) taken << Integer.SIZE | limit;
    }

    /** The same item for audio that comes after the cut; its position goes on. */
    public PlayedItem afterCut() {
        return new PlayedItem(responseId, itemId, position);
    }

    /** Milliseconds that were really sent; any thread may ask. */
    public long sentMillis() {
        return InputClock.millis(position.sentSamples.getAcquire());
    }

    void sent(int samples) {
        // Single writer: a plain read and an ordered write are enough.
        position.sentSamples.setRelease(position.sentSamples.getPlain() + samples);
    }
}
