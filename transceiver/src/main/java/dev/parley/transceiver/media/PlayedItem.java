package dev.parley.transceiver.media;

/**
 * A piece of a response (OutputAudio's {@code response_id} and {@code item_id}) and how far it has
 * been sent. The names are fixed; the position belongs to the media loop.
 */
public final class PlayedItem {
    private final String responseId;
    private final String itemId;
    private long sentSamples;

    public PlayedItem(String responseId, String itemId) {
        this.responseId = responseId;
        this.itemId = itemId;
    }

    public String responseId() {
        return responseId;
    }

    public String itemId() {
        return itemId;
    }

    /** Milliseconds that were really sent. */
    public long sentMillis() {
        return InputClock.millis(sentSamples);
    }

    void sent(int samples) {
        sentSamples += samples;
    }
}
