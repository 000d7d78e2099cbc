package dev.parley.relay.store;

/**
 * Whose flow: a client's address and the public address it used. Addresses are 16 bytes as two
 * longs, IPv4 being IPv4-mapped.
 */
record FlowKey(
        long clientHigh,
        long clientLow,
        int clientPort,
        long publicHigh,
        long publicLow,
        int publicPort) {}
