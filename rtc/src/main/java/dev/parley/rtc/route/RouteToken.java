package dev.parley.rtc.route;

/**
 * Where an opened route token leads. A mutable view that its owner passes to {@link
 * RouteTokens#open} again and again; it holds the last token that was opened.
 */
public final class RouteToken {
    private long sessionIdHigh;
    private long sessionIdLow;
    private int clusterId;
    private long addressHigh;
    private long addressLow;
    private int port;
    private int keyId;

    /** High 8 bytes of the session id, which is the trace id as well. */
    public long sessionIdHigh() {
        return sessionIdHigh;
    }

    public long sessionIdLow() {
        return sessionIdLow;
    }

    /** Cluster of the transceiver, 0..65535. */
    public int clusterId() {
        return clusterId;
    }

    /** High 8 bytes of the transceiver's address; IPv4 is IPv4-mapped. */
    public long addressHigh() {
        return addressHigh;
    }

    public long addressLow() {
        return addressLow;
    }

    /** UDP port of the transceiver, 0..65535. */
    public int port() {
        return port;
    }

    /** Key id that sealed it, which tells how far a key rotation has come. */
    public int keyId() {
        return keyId;
    }

    void set(
            int keyId,
            long sessionIdHigh,
            long sessionIdLow,
            int clusterId,
            long addressHigh,
            long addressLow,
            int port) {
        this.keyId = keyId;
        this.sessionIdHigh = sessionIdHigh;
        this.sessionIdLow = sessionIdLow;
        this.clusterId = clusterId;
        this.addressHigh = addressHigh;
        this.addressLow = addressLow;
        this.port = port;
    }
}
