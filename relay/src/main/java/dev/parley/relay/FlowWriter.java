package dev.parley.relay;

import dev.parley.relay.store.StoreLane;

/**
 * Keeps the store's entries of a worker's flows: writes one when a client has shown a new route
 * with its token, refreshes it while the flow lives, and takes it back when the flow expires. What
 * the store or its budget does not take is made up for when the sweep comes by. Owned by a worker.
 * Hot path: no allocation, no lock, no exception, no log.
 */
final class FlowWriter implements FlowTable.Sweep {
    private final StoreLane lane;
    private final FlowTable flows;
    private final PublicAddresses publicAddresses;
    private final int clusterId;
    private final long refreshNanos;
    private final PerSecond writes;

    /**
     * A writer.
     *
     * @param refreshNanos age of an entry that the sweep refreshes
     */
    FlowWriter(
            StoreLane lane,
            FlowTable flows,
            PublicAddresses publicAddresses,
            int clusterId,
            long refreshNanos,
            PerSecond writes) {
        this.lane = lane;
        this.flows = flows;
        this.publicAddresses = publicAddresses;
        this.clusterId = clusterId;
        this.refreshNanos = refreshNanos;
        this.writes = writes;
    }

    /** A client's token has just said where its flow leads. */
    void shown(int flow, long nowNanos) {
        if (!flows.isStored(flow)) {
            write(flow, StoreLane.Kind.WRITE, nowNanos);
        }
    }

    @Override
    public void alive(int flow, long nowNanos) {
        // A transceiver's word alone names no session, and what the store alone says must not
        // prolong itself.
        if (!flows.knowsSession(flow) || flows.isProvisional(flow)) {
            return;
        }
        if (!flows.isStored(flow) || flows.storedAgeNanos(flow, nowNanos) >= refreshNanos) {
            write(flow, StoreLane.Kind.REFRESH, nowNanos);
        }
    }

    private void write(int flow, StoreLane.Kind kind, long nowNanos) {
        if (lane.isAvailable() && writes.take(nowNanos) && lane.begin(kind, 0)) {
            fill(flow);
            flows.stored(flow, nowNanos);
        }
    }

    @Override
    public void expired(int flow) {
        if (flows.isStored(flow) && lane.begin(StoreLane.Kind.REMOVE, 0)) {
            fill(flow);
        }
    }

    private void fill(int flow) {
        int index = flows.publicIndex(flow);
        long leg = flows.leg(flow);
        lane.client(flows.clientHigh(flow), flows.clientLow(flow), flows.clientPort(flow))
                .publicAddress(
                        publicAddresses.high(index),
                        publicAddresses.low(index),
                        publicAddresses.port(index))
                .transceiver(
                        flows.transceiverHigh(flow),
                        flows.transceiverLow(flow),
                        flows.transceiverPort(flow),
                        FlowTable.leadsAway(leg) ? FlowTable.clusterOf(leg) : clusterId)
                .session(flows.sessionHigh(flow), flows.sessionLow(flow))
                .commit();
    }
}
