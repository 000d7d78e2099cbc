package dev.parley.relay;

import java.nio.ByteBuffer;

/**
 * A worker's flows as one process hands them to the next. Ages cross in place of times; hashes do
 * not cross, as every process has a seed of its own.
 */
final class FlowTransfer {
    private static final int LONGS = 12;
    private static final int BYTES = LONGS * Long.BYTES;
    private static final long NOT_STORED = -1;
    private static final int PROVISIONAL = 1;
    private static final int LEADS_AWAY = 2;
    private static final int CLUSTER_SHIFT = 16;

    private FlowTransfer() {}

    /**
     * Writes all flows that are alive, but for those whose clients come in by another cluster's
     * relay: each packet of these tells all that there is to know.
     */
    static ByteBuffer write(FlowTable flows, PublicAddresses addresses, long nowNanos) {
        ByteBuffer out = ByteBuffer.allocate(flows.size() * BYTES);
        for (int slot = 0; slot < flows.capacity(); slot++) {
            if (flows.isOccupied(slot) && isOurs(flows.leg(slot), flows.publicIndex(slot))) {
                write(out, flows, slot, addresses, nowNanos);
            }
        }
        return out.flip();
    }

    private static boolean isOurs(long leg, int publicIndex) {
        return !PublicAddresses.isForeign(publicIndex)
                && (leg == FlowTable.NO_LEG || FlowTable.leadsAway(leg));
    }

    private static int flags(FlowTable flows, int slot) {
        long leg = flows.leg(slot);
        return (flows.isProvisional(slot) ? PROVISIONAL : 0)
                | (FlowTable.leadsAway(leg)
                        ? LEADS_AWAY | FlowTable.clusterOf(leg) << CLUSTER_SHIFT
                        : 0);
    }

    private static void write(
            ByteBuffer out, FlowTable flows, int slot, PublicAddresses addresses, long nowNanos) {
        int index = flows.publicIndex(slot);
        out.putLong(flows.clientHigh(slot)).putLong(flows.clientLow(slot));
        out.putInt(flows.clientPort(slot)).putInt(addresses.port(index));
        out.putLong(addresses.high(index)).putLong(addresses.low(index));
        out.putLong(flows.transceiverHigh(slot)).putLong(flows.transceiverLow(slot));
        out.putInt(flows.transceiverPort(slot)).putInt(flags(flows, slot));
        out.putLong(flows.sessionHigh(slot)).putLong(flows.sessionLow(slot));
        out.putLong(flows.ageNanos(slot, nowNanos));
        out.putLong(flows.isStored(slot) ? flows.storedAgeNanos(slot, nowNanos) : NOT_STORED);
    }

    /** Adds what {@link #write} has written, as far as there is room; answers how many. */
    static int read(ByteBuffer in, FlowTable flows, PublicAddresses addresses, long nowNanos) {
        int added = 0;
        while (in.remaining() >= BYTES) {
            added += readOne(in.slice(in.position(), BYTES), flows, addresses, nowNanos) ? 1 : 0;
            in.position(in.position() + BYTES);
        }
        return added;
    }

    private static boolean readOne(
            ByteBuffer in, FlowTable flows, PublicAddresses addresses, long nowNanos) {
        long clientHigh = in.getLong();
        long clientLow = in.getLong();
        int clientPort = in.getInt();
        int publicPort = in.getInt();
        int index = addresses.find(in.getLong(), in.getLong(), publicPort);
        if (index == PublicAddresses.NONE
                || flows.find(clientHigh, clientLow, clientPort, index, nowNanos)
                        != FlowTable.NONE) {
            return false;
        }
        long transceiverHigh = in.getLong();
        long transceiverLow = in.getLong();
        int transceiverPort = in.getInt();
        int flags = in.getInt();
        long leg =
                (flags & LEADS_AWAY) == 0
                        ? FlowTable.NO_LEG
                        : FlowTable.towards(flags >>> CLUSTER_SHIFT);
        int flow =
                flows.insert(
                        clientHigh,
                        clientLow,
                        clientPort,
                        index,
                        in.getLong(),
                        in.getLong(),
                        nowNanos);
        if (flow < 0) {
            return false;
        }
        flows.point(flow, transceiverHigh, transceiverLow, transceiverPort, leg, 0);
        if ((flags & PROVISIONAL) != 0) {
            flows.doubt(flow, nowNanos, 0);
        }
        flows.touch(flow, nowNanos - in.getLong());
        long storedAge = in.getLong();
        if (storedAge != NOT_STORED) {
            flows.stored(flow, nowNanos - storedAge);
        }
        return true;
    }
}
