package dev.parley.transceiver.media;

/**
 * A piece of a response (OutputAudio's {@code response_id} and {@code item_id}) and how far it has
 * been sent. The names are fixed; the position belongs to the media loop; the thread that reads
 * inference's stream cuts it.
 */
public final class PlayedItem {
    /** How far an item was sent, shared by what came of it before and after a cut. */
    private static final class Position {
        long sentSamples;
    }

    private final String responseId;
    private final String itemId;
    private final Position position;
    private volatile boolean cut;

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

    /** Lets nothing more of it leave, at once; a Clear on its way through the queues follows. */
    public void cut() {
        cut = true;
    }

    /** Whether nothing more of it may leave. */
    public boolean isCut() {
        return cut;
    }

    /** The same item for audio that comes after the cut; its position goes on. */
    public PlayedItem afterCut() {
        return new PlayedItem(responseId, itemId, position);
    }

    /** Milliseconds that were really sent. */
    public long sentMillis() {
        return InputClock.millis(position.sentSamples);
    }

    void sent(int samples) {
        position.sentSamples += samples;
    }
}
