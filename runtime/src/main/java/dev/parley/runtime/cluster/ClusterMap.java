package dev.parley.runtime.cluster;

import java.util.List;
import java.util.Optional;

/**
 * All clusters of a fleet, an immutable snapshot that any thread may read. Every process of the
 * fleet gets the same file; they need not get it at the same moment.
 */
public final class ClusterMap {
    private final List<Cluster> clusters;

    /** Takes clusters that the reader of the file has checked. */
    ClusterMap(List<Cluster> clusters) {
        this.clusters = List.copyOf(clusters);
    }

    /**
     * Reads the file.
     *
     * @param option that names the file, for errors
     * @param yaml its content
     * @throws dev.parley.runtime.config.ConfigException when it cannot be used; the message names
     *     the line and what is wrong
     */
    public static ClusterMap parse(String option, byte[] yaml) {
        return new ClusterMap(new ClusterMapReader(option).read(yaml));
    }

    /** In the order of the file. */
    public List<Cluster> clusters() {
        return clusters;
    }

    /** The cluster of this id. */
    public Optional<Cluster> find(int id) {
        return clusters.stream().filter(cluster -> cluster.id() == id).findFirst();
    }
}
