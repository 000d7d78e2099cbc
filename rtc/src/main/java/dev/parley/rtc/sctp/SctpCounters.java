package dev.parley.rtc.sctp;

/** What an association has counted. Owned by it; read on its thread. */
public final class SctpCounters {
    private final long[] drops = new long[SctpDrop.values().length];
    private long packetsReceived;
    private long packetsSent;
    private long dataReceived;
    private long dataSent;
    private long retransmissions;
    private long fastRetransmits;
    private long timeouts;
    private long abandoned;

    SctpCounters() {}

    void drop(SctpDrop reason) {
        drops[reason.ordinal()]++;
    }

    /** How much was dropped for a reason. */
    public long drops(SctpDrop reason) {
        return drops[reason.ordinal()];
    }

    void packetTaken() {
        packetsReceived++;
    }

    void packetLeft() {
        packetsSent++;
    }

    void dataTaken() {
        dataReceived++;
    }

    void dataLeft(boolean again) {
        dataSent++;
        if (again) {
            retransmissions++;
        }
    }

    void fastRetransmit() {
        fastRetransmits++;
    }

    void timeout() {
        timeouts++;
    }

    void messageAbandoned() {
        abandoned++;
    }

    public long packetsReceived() {
        return packetsReceived;
    }

    public long packetsSent() {
        return packetsSent;
    }

    /** DATA chunks taken. */
    public long dataReceived() {
        return dataReceived;
    }

    /** DATA chunks sent, repeated ones included. */
    public long dataSent() {
        return dataSent;
    }

    /** DATA chunks sent again. */
    public long retransmissions() {
        return retransmissions;
    }

    /** Times that fast recovery was entered. */
    public long fastRetransmits() {
        return fastRetransmits;
    }

    /** Times that T3-rtx expired. */
    public long timeouts() {
        return timeouts;
    }

    /** Messages given up under partial reliability. */
    public long messagesAbandoned() {
        return abandoned;
    }
}
