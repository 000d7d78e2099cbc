package dev.parley.relay;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.trace.Tracing;
import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.reload.Ticker;
import dev.parley.runtime.reload.WatchedFiles;
import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cluster map, again when it changes, and tells the workers what it says and where on it
 * they are; and the wall clock, which steps. Owned by the relay, with a virtual thread of its own.
 */
final class LegWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LegWatch.class.getName());
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final String OPTION = "cluster_map";

    /** A worker's legs and the address of their socket. */
    record Worker(Legs legs, InetSocketAddress bound) {}

    private final WatchedFiles<ClusterMap> map;
    private final int clusterId;
    private final List<InetSocketAddress> advertised;
    private final List<InetSocketAddress> publicAddresses;
    private List<Worker> workers = List.of();
    private Set<InetAddress> local = Set.of();
    private @Nullable Ticker ticker;
    private volatile String problem = "";

    private LegWatch(WatchedFiles<ClusterMap> map, RelayConfig config) {
        this.map = map;
        this.clusterId = config.clusterId();
        this.advertised =
                config.advertisedLegAddresses().stream()
                        .map(address -> address.resolve("advertised_leg_addresses"))
                        .toList();
        List<HostPort> used =
                config.advertisedAddresses().isEmpty()
                        ? config.publicAddresses()
                        : config.advertisedAddresses();
        this.publicAddresses =
                used.stream()
                        .map(address -> address.resolve("public_addresses"))
                        .filter(one -> !one.getAddress().isAnyLocalAddress() && one.getPort() != 0)
                        .toList();
    }

    /**
     * Reads the map.
     *
     * @throws ConfigException when it cannot be used, or this relay's cluster is not on it
     */
    static LegWatch of(RelayConfig config) {
        int own = config.clusterId();
        return new LegWatch(
                new WatchedFiles<>(
                        OPTION,
                        List.of(Path.of(config.clusterMap())),
                        contents -> parse(contents.getFirst(), own)),
                config);
    }

    private static ClusterMap parse(byte[] content, int own) {
        ClusterMap map = ClusterMap.parse(OPTION, content);
        if (map.find(own).isEmpty()) {
            throw new ConfigException(
                    OPTION + ": has no cluster " + own + ", which is this relay's cluster_id");
        }
        return map;
    }

    /** Tells the workers now, and from now on. */
    void start(List<Worker> all) {
        workers = all;
        local = localAddresses();
        tell();
        ticker = Ticker.start("relay-cluster-map", PERIOD, this::look);
    }

    private void look() {
        long ahead = Tracing.epochNanos() - System.nanoTime();
        workers.forEach(worker -> worker.legs().wallAhead(ahead));
        Set<InetAddress> now = localAddresses();
        boolean moved = !now.equals(local);
        local = now;
        if (map.check() || moved) {
            tell();
        }
    }

    // What cannot be found out stays as it was.
    private Set<InetAddress> localAddresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException _) {
            return local;
        }
    }

    private void tell() {
        ClusterMap current = map.current();
        LegPlan plan = LegPlan.of(current, clusterId);
        String found = "";
        for (int i = 0; i < workers.size(); i++) {
            Worker worker = workers.get(i);
            List<InetSocketAddress> reached =
                    LegNames.reached(worker.bound(), local, advertised, i);
            worker.legs().plan(plan, LegNames.of(current, clusterId, reached));
            if (found.isEmpty()) {
                found = check(LegNames.find(current, clusterId, reached), worker, i);
            }
        }
        if (!found.equals(problem) && !found.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, found);
        }
        problem = found;
    }

    private String check(Optional<LegNames.Place> place, Worker worker, int number) {
        if (place.isEmpty()) {
            return OPTION
                    + ": has no relay of cluster "
                    + clusterId
                    + " whose worker "
                    + number
                    + " is at this machine's addresses and port "
                    + worker.bound().getPort()
                    + "; other clusters do not find it. Add it, or give advertised_leg_addresses";
        }
        int named = place.get().relay().workers();
        if (named != workers.size()) {
            return OPTION
                    + ": gives this relay "
                    + named
                    + " workers, it has "
                    + workers.size()
                    + "; make them the same, or packets go where nobody is";
        }
        return publicAddresses.stream()
                .filter(used -> !place.get().relay().publicAddresses().contains(used))
                .findFirst()
                .map(
                        used ->
                                OPTION
                                        + ": does not have this relay's public address "
                                        + IpAddress.text(used)
                                        + "; its callers may hear nothing for a while when"
                                        + " another cluster's relay restarts. Add it")
                .orElse("");
    }

    /** What is wrong with this relay's own place on the map; empty when nothing is. */
    String problem() {
        return problem;
    }

    void register(Telemetry telemetry) {
        telemetry.counters(Metric.CLUSTER_MAP_FAILURES, Map.of(OPTION, map::failures));
    }

    @Override
    public void close() {
        if (ticker != null) {
            ticker.close();
        }
    }
}
