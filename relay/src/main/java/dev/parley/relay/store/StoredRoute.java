package dev.parley.relay.store;

/**
 * Where a flow leads, as one of the relays has seen it in a route token. Whoever reads one has to
 * check it: the store is outside the process.
 *
 * @param transceiverHigh high 8 bytes of the transceiver's address; IPv4 is IPv4-mapped
 * @param clusterId the transceiver's cluster
 * @param sessionHigh high 8 bytes of the session id
 */
public record StoredRoute(
        long transceiverHigh,
        long transceiverLow,
        int transceiverPort,
        int clusterId,
        long sessionHigh,
        long sessionLow)
        implements StoreAnswer {}
