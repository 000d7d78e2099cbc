package dev.parley.relay.store;

/** How several Redis servers are one. */
public enum RedisMode {
    /** One server, or one address that leads to the current one. */
    STANDALONE,
    /** The addresses are Sentinels', which know the current master. */
    SENTINEL,
    /** The addresses are some of a Cluster's nodes. */
    CLUSTER
}
