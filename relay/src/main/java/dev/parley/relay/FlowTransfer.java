package dev.parley.relay;

import java.nio.ByteBuffer;

/**
 * A worker's flows as one process hands them to the next. Ages cross in place of times; hashes do
 * not cross, as every process has a seed of its own.
 */
final class FlowTransfer {
    private static final int LONGS = 14;
    private static final int BYTES = LONGS * Long.BYTES;
    private static final long NOT_STORED = -1;
    private static final int PROVISIONAL = 1;
    private static final int LEADS_AWAY = 2;
    private static final int COMES_THROUGH = 4;
    private static final int CLUSTER_SHIFT = 16;

    private FlowTransfer() {}

    /** Writes all flows that are alive. */
    static ByteBuffer write(
            FlowTable flows, PublicAddresses addresses, LegSenders senders, long nowNanos) {
        ByteBuffer out = ByteBuffer.allocate(flows.size() * BYTES);
        for (int slot = 0; slot < flows.capacity(); slot++) {
            if (flows.isOccupied(slot)) {
                write(out, flows, slot, addresses, nowNanos);
                writeRelay(out, flows.leg(slot), senders);
            }
        }
        return out.flip();
    }

    private static boolean comesThrough(long leg) {
        return leg != FlowTable.NO_LEG && !FlowTable.leadsAway(leg);
    }

    private static int flags(FlowTable flows, int slot) {
        long leg = flows.leg(slot);
        int flags = flows.isProvisional(slot) ? PROVISIONAL : 0;
        if (comesThrough(leg)) {
            return flags | COMES_THROUGH;
        }
        return FlowTable.leadsAway(leg)
                ? flags | LEADS_AWAY | FlowTable.clusterOf(leg) << CLUSTER_SHIFT
                : flags;
    }

    // The other cluster's relay that a client comes in by; 0 for none, or one that the map tells.
    private static void writeRelay(ByteBuffer out, long leg, LegSenders senders) {
        if (comesThrough(leg) && FlowTable.relayOf(leg) != Legs.BY_MAP) {
            int relay = FlowTable.relayOf(leg);
            out.putLong(senders.key(relay));
            out.putInt(senders.gateName(relay)).putInt(senders.newest(relay));
        } else {
            out.putLong(0).putLong(0);
        }
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
    static int read(
            ByteBuffer in,
            FlowTable flows,
            PublicAddresses addresses,
            LegSenders senders,
            long nowNanos) {
        int added = 0;
        while (in.remaining() >= BYTES) {
            ByteBuffer one = in.slice(in.position(), BYTES);
            added += readOne(one, flows, addresses, senders, nowNanos) ? 1 : 0;
            in.position(in.position() + BYTES);
        }
        return added;
    }

    private static boolean readOne(
            ByteBuffer in,
            FlowTable flows,
            PublicAddresses addresses,
            LegSenders senders,
            long nowNanos) {
        long clientHigh = in.getLong();
        long clientLow = in.getLong();
        int clientPort = in.getInt();
        int publicPort = in.getInt();
        long publicHigh = in.getLong();
        long publicLow = in.getLong();
        long transceiverHigh = in.getLong();
        long transceiverLow = in.getLong();
        int transceiverPort = in.getInt();
        int flags = in.getInt();
        int index =
                (flags & COMES_THROUGH) == 0
                        ? addresses.find(publicHigh, publicLow, publicPort)
                        : addresses.usedElsewhere(publicHigh, publicLow, publicPort);
        if (index == PublicAddresses.NONE
                || flows.find(clientHigh, clientLow, clientPort, index, nowNanos)
                        != FlowTable.NONE) {
            return false;
        }
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
        long age = in.getLong();
        long storedAge = in.getLong();
        long leg = leg(flags, in, senders, nowNanos);
        flows.point(flow, transceiverHigh, transceiverLow, transceiverPort, leg, 0);
        if ((flags & PROVISIONAL) != 0) {
            flows.doubt(flow, nowNanos, 0);
        }
        flows.touch(flow, nowNanos - age);
        if (storedAge != NOT_STORED) {
            flows.stored(flow, nowNanos - storedAge);
        }
        return true;
    }

    private static long leg(int flags, ByteBuffer in, LegSenders senders, long nowNanos) {
        if ((flags & COMES_THROUGH) == 0) {
            return (flags & LEADS_AWAY) == 0
                    ? FlowTable.NO_LEG
                    : FlowTable.towards(flags >>> CLUSTER_SHIFT);
        }
        long key = in.getLong();
        int relay =
                key == 0
                        ? LegSenders.NONE
                        : senders.restore(key, in.getInt(), in.getInt(), nowNanos);
        return FlowTable.through(relay == LegSenders.NONE ? Legs.BY_MAP : relay);
    }
}
