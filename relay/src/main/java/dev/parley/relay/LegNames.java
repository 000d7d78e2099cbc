package dev.parley.relay;

import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.cluster.ClusterRelay;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which gate one worker of this relay is on the cluster map: what its packets call it, and what
 * packets for it may call it. Immutable.
 */
final class LegNames {
    /** On no map, and nobody's. */
    static final LegNames NONE = new LegNames(0, new int[0]);

    private final int own;
    private final int[] accepted;

    private LegNames(int own, int[] accepted) {
        this.own = own;
        this.accepted = accepted;
    }

    /** A relay as the map has it, and which of its workers one is. */
    record Place(ClusterRelay relay, int worker) {
        List<InetSocketAddress> ways() {
            return relay.legsOf(worker);
        }
    }

    /**
     * Where on the map a worker is.
     *
     * @param reached where it may be reached
     */
    static Optional<Place> find(
            ClusterMap map, int cluster, Collection<InetSocketAddress> reached) {
        return map.find(cluster).stream()
                .flatMap(own -> own.relays().stream())
                .flatMap(
                        relay ->
                                IntStream.range(0, relay.workers())
                                        .mapToObj(worker -> new Place(relay, worker)))
                .filter(place -> place.ways().stream().anyMatch(reached::contains))
                .findFirst();
    }

    /**
     * The names of a worker. One that the map does not have yet may be reached all the same, by
     * relays that have a newer map.
     *
     * @param reached where it may be reached
     */
    static LegNames of(ClusterMap map, int cluster, Collection<InetSocketAddress> reached) {
        List<InetSocketAddress> ways =
                find(map, cluster, reached).map(Place::ways).orElse(List.of());
        int own = ways.isEmpty() ? 0 : LegPlan.name(ways.getFirst());
        return new LegNames(
                own,
                Stream.concat(ways.stream(), reached.stream())
                        .mapToInt(LegPlan::name)
                        .distinct()
                        .toArray());
    }

    /**
     * Where a worker may be reached.
     *
     * @param bound its socket's address
     * @param local this machine's addresses
     * @param advertised where the first worker is reached besides
     */
    static List<InetSocketAddress> reached(
            InetSocketAddress bound,
            Collection<InetAddress> local,
            List<InetSocketAddress> advertised,
            int worker) {
        List<InetSocketAddress> reached = new ArrayList<>();
        if (bound.getAddress().isAnyLocalAddress()) {
            local.forEach(one -> reached.add(new InetSocketAddress(one, bound.getPort())));
        } else {
            reached.add(bound);
        }
        advertised.forEach(
                one ->
                        reached.add(
                                new InetSocketAddress(one.getAddress(), one.getPort() + worker)));
        return reached;
    }

    /** What its packets call it; 0 when the map does not have it. */
    int own() {
        return own;
    }

    /** Whether packets for this name are its. */
    boolean has(int name) {
        for (int one : accepted) {
            if (one == name) {
                return true;
            }
        }
        return false;
    }
}
