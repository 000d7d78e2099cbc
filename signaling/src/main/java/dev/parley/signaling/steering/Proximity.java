package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.Cluster;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * One way of telling how far a client is from clusters. Several stand one after another, and the
 * first that can tell decides.
 */
public interface Proximity {
    /**
     * What this way knows of one client.
     *
     * @param basis what it is known by, such as {@code pop}
     */
    record Estimate(String basis, Millis millis) {}

    /** Round trips from one client. */
    @FunctionalInterface
    interface Millis {
        /** Milliseconds to a cluster; empty when that one is not known. */
        OptionalDouble to(Cluster cluster);
    }

    /** How far a client is; null when this way cannot tell. */
    @Nullable Estimate find(Whereabouts client);
}
