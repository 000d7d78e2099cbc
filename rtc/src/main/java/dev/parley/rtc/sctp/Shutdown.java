package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;

/** The chunks of a graceful end and their timer T2, RFC 9260 9.2. Owned by an association. */
final class Shutdown {
    private final RtoEstimator rto;
    private final Deadline t2 = new Deadline();
    private boolean acknowledging;
    private boolean shutdownDue;
    private boolean ackDue;
    private int repetitions;

    Shutdown(RtoEstimator rto) {
        this.rto = rto;
    }

    /** Sends a SHUTDOWN until it is answered. */
    void begin(long nowNanos) {
        shutdownDue = true;
        t2.start(nowNanos + rto.rtoNanos());
    }

    /** Sends a SHUTDOWN ACK until it is answered. */
    void acknowledge(long nowNanos) {
        acknowledging = true;
        shutdownDue = false;
        ackDue = true;
        t2.start(nowNanos + rto.rtoNanos());
    }

    /** DATA came: the SHUTDOWN again, with what is acknowledged now. */
    void repeat() {
        shutdownDue = true;
    }

    void repeatAck() {
        ackDue = true;
    }

    int repetitions() {
        return repetitions;
    }

    void write(PacketWriter packet, InboundData inbound) {
        if (shutdownDue) {
            shutdownDue = false;
            packet.chunk(Chunk.SHUTDOWN, 0).i32((int) inbound.cumulativeTsn()).endChunk();
        }
        if (ackDue) {
            ackDue = false;
            packet.chunk(Chunk.SHUTDOWN_ACK, 0).endChunk();
        }
    }

    void onTimer(long nowNanos) {
        if (t2.isDue(nowNanos)) {
            repetitions++;
            rto.backOff();
            t2.start(nowNanos + rto.rtoNanos());
            shutdownDue = !acknowledging;
            ackDue = acknowledging;
        }
    }

    void stop() {
        t2.stop();
    }

    long deadlineOrEarlier(long otherNanos) {
        return t2.orEarlier(otherNanos);
    }
}
