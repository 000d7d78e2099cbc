package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.Cluster;
import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.cluster.ClusterRelay;
import dev.parley.runtime.cluster.LatencyTable;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Chooses among the clusters of the map: a call goes to the nearest that is active, can be reached
 * and has room, its client enters at the nearest that has relays. Where the client is, is told by
 * what was measured from there, else by its position, else by its country, else by which cluster
 * its request came to. Any thread may ask.
 */
public final class Steering implements Placement {
    /** Clusters that differ by less in their round trip are as near, and share by weight. */
    private static final double AS_NEAR_MILLIS = 5;

    private static final double UNKNOWN_MILLIS = Double.MAX_VALUE;

    /** Clusters that a trace names. */
    private static final int MAX_CONSIDERED = 8;

    private final Supplier<ClusterMap> map;
    private final ClusterView view;
    private final int ownCluster;
    private final List<Proximity> ways;
    private final List<String> usualAddresses;
    private final Optional<URI> elsewhere;
    private final RandomGenerator random;

    /**
     * Steers by a map.
     *
     * @param map the newest
     * @param latencies the newest
     * @param ownCluster where this process is
     * @param usualAddresses to advertise when the map has no relay that clients may enter by
     * @param elsewhere signaling for clients that can be redirected
     * @param random for sharing out what is as near; any thread may use it
     */
    public Steering(
            Supplier<ClusterMap> map,
            Supplier<LatencyTable> latencies,
            ClusterView view,
            int ownCluster,
            List<String> usualAddresses,
            Optional<URI> elsewhere,
            RandomGenerator random) {
        this.map = map;
        this.view = view;
        this.ownCluster = ownCluster;
        this.ways = List.of(new MeasuredProximity(latencies), new PlaceProximity(new Countries()));
        this.usualAddresses = List.copyOf(usualAddresses);
        this.elsewhere = elsewhere;
        this.random = random;
    }

    /** A cluster and how far it is. */
    private record Candidate(Cluster cluster, double millis) {}

    @Override
    public Decision decide(Whereabouts client) {
        List<Cluster> clusters = map.get().clusters();
        Proximity.Estimate estimate = estimate(client, clusters);
        List<Candidate> nearest = nearest(estimate, clusters);
        Optional<String> region = client.region().filter(name -> requireKnown(name, clusters));
        List<Cluster> ingresses = ingresses(nearest);
        List<Integer> owners = owners(nearest, !ingresses.isEmpty(), region);
        // Nobody else's relays reach calls of a cluster that the map has no relays of.
        boolean usual = owners.isEmpty() && !hasRelays(ownCluster, ingresses);
        return new Decision(
                owners.isEmpty() ? List.of(requireActive(nearest)) : owners,
                usual ? usualAddresses : relayAddresses(ingresses, client),
                ingresses.isEmpty() || usual ? "" : ingresses.getFirst().name(),
                region.isPresent() ? "region" : estimate.basis(),
                client.text(),
                considered(clusters, estimate));
    }

    @Override
    public List<String> relayAddresses(Whereabouts client) {
        List<Cluster> clusters = map.get().clusters();
        return relayAddresses(ingresses(nearest(estimate(client, clusters), clusters)), client);
    }

    private static List<Candidate> nearest(Proximity.Estimate estimate, List<Cluster> clusters) {
        return clusters.stream()
                .filter(cluster -> cluster.state() == Cluster.State.ACTIVE)
                .map(cluster -> new Candidate(cluster, millis(estimate, cluster)))
                .sorted(Comparator.comparingDouble(Candidate::millis))
                .toList();
    }

    private static List<Cluster> ingresses(List<Candidate> nearest) {
        return nearest.stream()
                .map(Candidate::cluster)
                .filter(cluster -> !cluster.relays().isEmpty())
                .toList();
    }

    private static boolean hasRelays(int cluster, List<Cluster> ingresses) {
        return ingresses.stream().anyMatch(one -> one.id() == cluster);
    }

    // When nobody else takes calls this cluster is asked, which then says what is wrong: unless it
    // is known to take none.
    private int requireActive(List<Candidate> nearest) {
        if (nearest.stream().noneMatch(one -> one.cluster().id() == ownCluster)) {
            throw new RefusedException(
                    ErrorCode.DRAINING,
                    "No cluster takes new calls at present. Try again shortly.");
        }
        return ownCluster;
    }

    private String considered(List<Cluster> clusters, Proximity.Estimate estimate) {
        return clusters.stream()
                .map(cluster -> new Candidate(cluster, millis(estimate, cluster)))
                .sorted(Comparator.comparingDouble(Candidate::millis))
                .limit(MAX_CONSIDERED)
                .map(this::text)
                .collect(Collectors.joining(", "));
    }

    private String text(Candidate one) {
        Cluster cluster = one.cluster();
        String far = one.millis() == UNKNOWN_MILLIS ? "?" : Math.round(one.millis()) + " ms";
        String state =
                cluster.state() != Cluster.State.ACTIVE
                        ? " " + cluster.state().text()
                        : view.takesCalls(cluster.id()) ? "" : " closed";
        return cluster.name() + " " + far + state;
    }

    private Proximity.Estimate estimate(Whereabouts client, List<Cluster> clusters) {
        for (Proximity way : ways) {
            Proximity.Estimate found = way.find(client);
            if (found != null) {
                return found;
            }
        }
        // Whatever brought the request here, a name server or anycast, has found this the nearest.
        return clusters.stream()
                .filter(cluster -> cluster.id() == ownCluster)
                .findFirst()
                .map(own -> PlaceProximity.from("arrival", own.location()))
                .orElseGet(() -> new Proximity.Estimate("arrival", _ -> OptionalDouble.empty()));
    }

    // What is not known is far away, but for a cluster as good as any.
    private static double millis(Proximity.Estimate estimate, Cluster cluster) {
        return estimate.millis().to(cluster).orElse(UNKNOWN_MILLIS);
    }

    private static boolean requireKnown(String region, List<Cluster> clusters) {
        if (clusters.stream().noneMatch(cluster -> isIn(cluster, region))) {
            String known =
                    String.join(
                            ", ",
                            clusters.stream().map(Cluster::region).distinct().sorted().toList());
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST,
                    "There is no such region; there are " + known + ".",
                    "region");
        }
        return true;
    }

    private static boolean isIn(Cluster cluster, String region) {
        return cluster.region().equals(region) || cluster.name().equals(region);
    }

    // A cluster without relays on the map is reached by nobody, unless no cluster has any and calls
    // enter where they are asked for.
    private List<Integer> owners(List<Candidate> nearest, boolean relays, Optional<String> region) {
        List<Candidate> open =
                new ArrayList<>(
                        nearest.stream()
                                .filter(
                                        one ->
                                                relays
                                                        ? !one.cluster().relays().isEmpty()
                                                        : one.cluster().id() == ownCluster)
                                .filter(one -> view.takesCalls(one.cluster().id()))
                                .toList());
        List<Integer> owners = new ArrayList<>();
        while (!open.isEmpty()) {
            Candidate next = takeNext(open, region);
            open.remove(next);
            owners.add(next.cluster().id());
        }
        return owners;
    }

    private Candidate takeNext(List<Candidate> open, Optional<String> region) {
        List<Candidate> wanted =
                open.stream()
                        .filter(one -> region.filter(name -> isIn(one.cluster(), name)).isPresent())
                        .toList();
        List<Candidate> left = wanted.isEmpty() ? open : wanted;
        double nearest = left.getFirst().millis();
        List<Candidate> asNear =
                left.stream().filter(one -> one.millis() <= nearest + AS_NEAR_MILLIS).toList();
        double sum = asNear.stream().mapToDouble(this::share).sum();
        double drawn = random.nextDouble() * sum;
        for (Candidate one : asNear) {
            drawn -= share(one);
            if (drawn < 0) {
                return one;
            }
        }
        return asNear.getLast();
    }

    private double share(Candidate one) {
        double room = Math.max(0.01, 1 - view.load(one.cluster().id()));
        return one.cluster().weight() * room;
    }

    // The nearest cluster's relays first, by weight; further ones are for when it cannot be
    // reached.
    private List<String> relayAddresses(List<Cluster> ingresses, Whereabouts client) {
        Set<InetSocketAddress> addresses = new LinkedHashSet<>();
        List<List<ClusterRelay>> left =
                ingresses.stream()
                        .map(cluster -> (List<ClusterRelay>) new ArrayList<>(cluster.relays()))
                        .toList();
        int wanted = client.ingresses();
        while (wanted > 0 && left.stream().anyMatch(relays -> !relays.isEmpty())) {
            for (List<ClusterRelay> relays : left) {
                if (wanted > 0 && !relays.isEmpty()) {
                    addresses.addAll(takeOne(relays).publicAddresses());
                    wanted--;
                }
            }
        }
        return addresses.isEmpty()
                ? usualAddresses
                : addresses.stream().map(IpAddress::text).toList();
    }

    private ClusterRelay takeOne(List<ClusterRelay> relays) {
        ClusterRelay one = draw(relays);
        relays.remove(one);
        return one;
    }

    private ClusterRelay draw(List<ClusterRelay> relays) {
        int sum = relays.stream().mapToInt(ClusterRelay::weight).sum();
        int drawn = random.nextInt(sum);
        for (ClusterRelay relay : relays) {
            drawn -= relay.weight();
            if (drawn < 0) {
                return relay;
            }
        }
        return relays.getLast();
    }

    @Override
    public Optional<URI> elsewhere(InetAddress client) {
        return elsewhere;
    }
}
