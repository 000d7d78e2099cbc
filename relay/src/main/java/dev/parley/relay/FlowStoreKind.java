package dev.parley.relay;

/** Where a relay's flows are remembered. */
public enum FlowStoreKind {
    /** Nowhere; transceivers and clients tell them. */
    NONE,
    /** In Redis, for every relay of the cluster. */
    REDIS,
    /** In the memory of this process. */
    MEMORY
}
