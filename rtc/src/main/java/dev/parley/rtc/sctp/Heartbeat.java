package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.Codes.Parameter;
import java.util.random.RandomGenerator;

/** Asks an idle peer whether it is still there, RFC 9260 8.3. Owned by an association. */
final class Heartbeat {
    private static final int INFO_LENGTH = TlvReader.HEADER_LENGTH + 2 * Long.BYTES;

    private final SctpConfig.Timers timers;
    private final RtoEstimator rto;
    private final RandomGenerator random;
    private final Deadline timer = new Deadline();
    private long nonce;
    private boolean awaited;
    private int errors;

    Heartbeat(SctpConfig.Timers timers, RtoEstimator rto, RandomGenerator random) {
        this.timers = timers;
        this.rto = rto;
        this.random = random;
    }

    void start(long nowNanos) {
        // RFC 9260 8.3: with jitter of half the timeout.
        long jitter = (long) (rto.rtoNanos() * (random.nextDouble() - 0.5));
        timer.start(nowNanos + timers.heartbeatNanos() + rto.rtoNanos() + jitter);
    }

    void stop() {
        timer.stop();
        awaited = false;
    }

    /** Heartbeats in a row without an answer. */
    int errors() {
        return errors;
    }

    /**
     * Sends one if it is time.
     *
     * @param idle whether nothing is in flight, which would tell as much
     */
    void onTimer(boolean idle, ControlChunks control, long nowNanos) {
        if (!timer.isDue(nowNanos)) {
            return;
        }
        if (awaited) {
            errors++;
            awaited = false;
        }
        if (idle) {
            nonce = random.nextLong();
            awaited = true;
            PacketWriter packet = control.begin();
            packet.chunk(Chunk.HEARTBEAT, 0).tlv(Parameter.HEARTBEAT_INFO);
            packet.i64(nonce).i64(nowNanos).endTlv().endChunk();
            control.send();
        }
        start(nowNanos);
    }

    /** Takes a HEARTBEAT ACK; false when it answers none of ours. */
    boolean receiveAck(PacketReader chunk, long nowNanos) {
        byte[] bytes = chunk.bytes();
        int at = chunk.valueAt() + TlvReader.HEADER_LENGTH;
        if (!awaited || chunk.valueLength() < INFO_LENGTH || Wire.i64(bytes, at) != nonce) {
            return false;
        }
        awaited = false;
        errors = 0;
        rto.measured(nowNanos - Wire.i64(bytes, at + Long.BYTES));
        return true;
    }

    long deadlineOrEarlier(long otherNanos) {
        return timer.orEarlier(otherNanos);
    }
}
