package dev.parley.runtime.cluster;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One cluster as the map has it. Immutable.
 *
 * @param id as transceivers put it into route tokens, 0 to 65535
 * @param name for people
 * @param region that callers may ask for; several clusters may be in one
 * @param location of its transceivers
 * @param state what may still go there
 * @param weight its share of new calls beside clusters that are as near, 1 to 10,000
 * @param signaling where other clusters' signaling asks for calls here; empty when it cannot be
 *     asked
 * @param relays its relay group; empty when its calls are reached from within only
 */
public record Cluster(
        int id,
        String name,
        String region,
        Location location,
        State state,
        int weight,
        Optional<URI> signaling,
        List<ClusterRelay> relays) {
    /** What may still go to a cluster. */
    public enum State {
        /** Everything. */
        ACTIVE,
        /** What belongs to calls that are there; new calls go elsewhere. */
        DRAINING,
        /** Nothing, not even packets of calls. */
        DOWN;

        /** As the file writes it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Cluster {
        relays = List.copyOf(relays);
    }
}
