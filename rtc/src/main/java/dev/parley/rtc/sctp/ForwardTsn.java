package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.OutboundChunk.State;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far the peer may go on past what was abandoned, the Advanced.Peer.Ack.Point of RFC 3758 3.5,
 * and the chunks that tell it. Owned by a {@link RetransmissionQueue}.
 */
final class ForwardTsn {
    private final Outstanding outstanding;
    private final boolean interleaved;
    private final RtoEstimator rto;
    private long advancedPeerAck;
    private long forwardedTo;
    private long forwardedNanos;

    ForwardTsn(Outstanding outstanding, boolean interleaved, RtoEstimator rto) {
        this.outstanding = outstanding;
        this.interleaved = interleaved;
        this.rto = rto;
        this.advancedPeerAck = outstanding.first() - 1;
    }

    /** C1 and C2: something was acknowledged or abandoned. */
    void advance() {
        advancedPeerAck = Math.max(advancedPeerAck, outstanding.first() - 1);
        while (advancedPeerAck + 1 < outstanding.next()
                && outstanding.at(advancedPeerAck + 1).state == State.ABANDONED) {
            advancedPeerAck++;
        }
    }

    /** C3; for the same TSN not more than once per round trip. */
    boolean isDue(long nowNanos) {
        if (advancedPeerAck < outstanding.first()) {
            return false;
        }
        long roundTrip = Math.max(rto.smoothedNanos(), 0);
        return advancedPeerAck > forwardedTo || nowNanos - forwardedNanos > roundTrip;
    }

    /** What was told has not come: it is told again. */
    void again() {
        forwardedTo = 0;
    }

    // RFC 3758 3.2 and RFC 8260 2.3.1
    void write(PacketWriter packet, long nowNanos) {
        int entry = interleaved ? 8 : 4;
        int most = (packet.room() - 8) / entry;
        Map<Long, Integer> skipped = new LinkedHashMap<>();
        long upTo = outstanding.first() - 1;
        while (upTo < advancedPeerAck && skipped.size() < most) {
            upTo++;
            OutboundMessage message = outstanding.at(upTo).message();
            if (interleaved || !message.unordered()) {
                long key = (long) message.streamId() << 16 | (message.unordered() ? 1 : 0);
                skipped.put(key, message.number());
            }
        }
        forwardedTo = upTo;
        forwardedNanos = nowNanos;
        packet.chunk(interleaved ? Chunk.I_FORWARD_TSN : Chunk.FORWARD_TSN, 0).i32((int) upTo);
        skipped.forEach(
                (key, number) -> {
                    packet.u16((int) (key >> 16));
                    if (interleaved) {
                        packet.u16((int) (key & 1)).i32(number);
                    } else {
                        packet.u16(number);
                    }
                });
        packet.endChunk();
    }
}
