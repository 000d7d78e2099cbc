package dev.parley.rtc.sctp;

/** A user message on its way to the peer. Owned by {@link OutboundStreams}, then by its chunks. */
final class OutboundMessage {
    private final int streamId;
    private final int ppid;
    private final boolean unordered;
    private final byte[] payload;
    private final Reliability reliability;
    private final long queuedNanos;
    private int sentBytes;
    private int nextFragment;
    private int number;
    private boolean abandoned;

    OutboundMessage(
            int streamId,
            int ppid,
            boolean unordered,
            byte[] payload,
            Reliability reliability,
            long queuedNanos) {
        this.streamId = streamId;
        this.ppid = ppid;
        this.unordered = unordered;
        this.payload = payload;
        this.reliability = reliability;
        this.queuedNanos = queuedNanos;
    }

    int streamId() {
        return streamId;
    }

    int ppid() {
        return ppid;
    }

    boolean unordered() {
        return unordered;
    }

    byte[] payload() {
        return payload;
    }

    /** SSN or MID; set when its first fragment is sent. */
    int number() {
        return number;
    }

    void number(int assigned) {
        number = assigned;
    }

    boolean isBegun() {
        return sentBytes > 0;
    }

    int unsentBytes() {
        return payload.length - sentBytes;
    }

    /** Cuts the next fragment off; answers where it begins. */
    int cut(int length) {
        int at = sentBytes;
        sentBytes += length;
        nextFragment++;
        return at;
    }

    /** Of the next fragment, from 0. */
    int nextFragment() {
        return nextFragment;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    void abandon() {
        abandoned = true;
    }

    /** RFC 7496: whether to give it up, one of its chunks having been sent so often. */
    boolean isExhausted(int transmissions, long nowNanos) {
        return switch (reliability.kind()) {
            case RELIABLE -> false;
            case RETRANSMISSIONS -> transmissions > reliability.limit();
            case LIFETIME -> nowNanos - queuedNanos >= reliability.limit();
        };
    }
}
