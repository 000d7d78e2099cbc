package dev.parley.relay;

import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.DatagramBatch;

/**
 * Numbers, dates and seals what a worker sends over legs. Owned by {@link Legs}; any thread may
 * give it the time. Hot path: no allocation, no lock, no exception, no log.
 */
final class LegSeal {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final LegPacket packet;
    private int sequence;
    private volatile long wallAheadNanos;

    LegSeal(LegPacket packet) {
        this.packet = packet;
    }

    /** How far the wall clock is ahead of the worker's; any thread may call it. */
    void wallAhead(long nanos) {
        wallAheadNanos = nanos;
    }

    /** The wall clock, low 32 bits. */
    int secondsAt(long nowNanos) {
        return (int) Math.floorDiv(nowNanos + wallAheadNanos, NANOS_PER_SECOND);
    }

    private long nextStamp(long nowNanos) {
        return LegPacket.stamp(secondsAt(nowNanos), sequence++);
    }

    /** Which gate its packets come from. */
    void ownGate(int name) {
        packet.ownGate(name);
    }

    /**
     * Seals a datagram, its client header in front, whose peer is its transceiver, and addresses it
     * to a way; false, changing nothing, when it is too long for the slots that it would arrive in.
     */
    boolean seal(DatagramBatch batch, int i, LegKind kind, LegPlan plan, int way, long nowNanos) {
        if (batch.length(i) > batch.payloadBytes() - LegPacket.MAX_HEADER) {
            return false;
        }
        int gate = plan.gateOf(way);
        packet.towards(plan.clusterIdOf(gate), plan.gateName(gate));
        int added =
                packet.seal(
                        batch.bytes(),
                        batch.start(i),
                        batch.length(i),
                        kind,
                        batch.addressHigh(i),
                        batch.addressLow(i),
                        batch.port(i),
                        nextStamp(nowNanos));
        batch.datagram(i, batch.start(i) - added, batch.length(i) + added);
        batch.local(i, 0, 0);
        batch.peer(i, plan.high(way), plan.low(way), plan.port(way));
        return true;
    }

    /** Writes a probe or an answer for a way into a slot. */
    void probe(
            DatagramBatch batch,
            int i,
            LegKind kind,
            LegPlan plan,
            int way,
            long nonce,
            long nowNanos) {
        int gate = plan.gateOf(way);
        packet.towards(plan.clusterIdOf(gate), plan.gateName(gate));
        int start = batch.slotOffset(i);
        packet.sealProbe(batch.bytes(), start, kind, nonce, nextStamp(nowNanos));
        batch.datagram(i, start, LegPacket.PROBE_LENGTH);
        batch.local(i, 0, 0);
        batch.peer(i, plan.high(way), plan.low(way), plan.port(way));
    }
}
