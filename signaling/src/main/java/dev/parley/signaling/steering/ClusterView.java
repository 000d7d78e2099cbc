package dev.parley.signaling.steering;

/** How the clusters are, as far as it is known now. Any thread may ask. */
public interface ClusterView {
    /** Whether a cluster can be asked for a call and has room for it. */
    boolean takesCalls(int cluster);

    /** Its sessions as a share of those that it can have. */
    double load(int cluster);
}
