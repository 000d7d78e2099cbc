package dev.parley.relay;

/**
 * Where a flow may lead: to transceivers of this cluster in the configured ranges, and to clusters
 * that the map knows. What a token says, what the store says and what another cluster's relay says
 * are all held to it. Owned by a worker. Hot path: no allocation, no lock, no exception, no log.
 */
final class Destinations {
    private final AddressRanges transceivers;
    private final int clusterId;
    private final Legs legs;

    Destinations(AddressRanges transceivers, int clusterId, Legs legs) {
        this.transceivers = transceivers;
        this.clusterId = clusterId;
        this.legs = legs;
    }

    /** Answers why a flow may not lead there, or UP_BY_FLOW when it may. */
    Verdict check(int cluster, long transceiverHigh, long transceiverLow) {
        if (cluster != clusterId) {
            return legs.find(cluster);
        }
        return isOurs(transceiverHigh, transceiverLow)
                ? Verdict.UP_BY_FLOW
                : Verdict.TOKEN_OUTSIDE_RANGES;
    }

    /** Whether a transceiver of this cluster may be there. */
    boolean isOurs(long transceiverHigh, long transceiverLow) {
        return transceivers.contains(transceiverHigh, transceiverLow);
    }

    /** The leg of a flow to a transceiver of a cluster. */
    long legTo(int cluster) {
        return cluster == clusterId ? FlowTable.NO_LEG : FlowTable.towards(cluster);
    }
}
