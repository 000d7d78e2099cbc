package dev.parley.relay;

import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPort;

/**
 * The probes of a worker, and its answers to others', until they are sent at the end of a turn.
 * Owned by {@link Legs}. Nothing is allocated after construction.
 */
final class LegProbes implements LegHealth.Asker {
    private static final int PENDING = 64;

    private final LegSeal seal;
    private final DatagramBatch pending = new DatagramBatch(PENDING, 0, LegPacket.PROBE_LENGTH);
    private LegPlan plan = LegPlan.EMPTY;
    private int count;

    LegProbes(LegSeal seal) {
        this.seal = seal;
    }

    void plan(LegPlan next) {
        plan = next;
    }

    @Override
    public boolean ask(int way, long nowNanos) {
        return add(LegKind.PROBE, way, nonceOf(way), nowNanos);
    }

    /** Answers over a way; false when no more fit into this turn. */
    boolean answer(int way, long nonce, long nowNanos) {
        return add(LegKind.ANSWER, way, nonce, nowNanos);
    }

    private boolean add(LegKind kind, int way, long nonce, long nowNanos) {
        if (count == pending.capacity()) {
            return false;
        }
        seal.probe(pending, count++, kind, plan, way, nonce, nowNanos);
        return true;
    }

    /** The way that was asked with these bytes, or {@link LegPlan#NONE}. */
    int askedWay(long nonce) {
        int way = (int) nonce;
        return way >= 0 && way < plan.ways() && nonce == nonceOf(way) ? way : LegPlan.NONE;
    }

    // The way, and what tells it from the way of the same number in another plan.
    private long nonceOf(int way) {
        return (long) plan.wayName(way) << 32 | way;
    }

    /** Sends what was added. */
    void flush(UdpPort port) {
        if (count > 0) {
            var _ = port.send(pending, 0, count);
            count = 0;
        }
    }
}
