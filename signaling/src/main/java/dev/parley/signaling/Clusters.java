package dev.parley.signaling;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.grpc.ClientSpans;
import dev.parley.runtime.cluster.Cluster;
import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.cluster.LatencyTable;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.reload.Ticker;
import dev.parley.runtime.reload.WatchedFiles;
import dev.parley.signaling.pool.ClusterAuth;
import dev.parley.signaling.pool.ClusterGateway;
import dev.parley.signaling.pool.ClusterPool;
import dev.parley.signaling.pool.ClusterTransport;
import dev.parley.signaling.pool.TransceiverPool;
import dev.parley.signaling.steering.Placement;
import dev.parley.signaling.steering.Steering;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * This cluster among the others: the map and what follows from it. Without a map there are no
 * others. Owned by Signaling.
 */
final class Clusters implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final String MAP = "cluster_map";
    private static final String LATENCIES = "latency_table";

    private final ClusterPool pool;
    private final Placement placement;
    private final @Nullable ClusterGateway gateway;
    private final @Nullable Ticker ticker;

    private Clusters(
            ClusterPool pool,
            Placement placement,
            @Nullable ClusterGateway gateway,
            @Nullable Ticker ticker) {
        this.pool = pool;
        this.placement = placement;
        this.gateway = gateway;
        this.ticker = ticker;
    }

    /**
     * Reads what the config names, and follows it from now on.
     *
     * @param own this cluster's transceivers
     * @throws ConfigException when a file cannot be used, or an address not be bound
     */
    static Clusters of(
            SignalingConfig config,
            Telemetry telemetry,
            TransceiverPool own,
            ClientSpans spans,
            Optional<SSLContext> tls) {
        ClusterAuth auth =
                new ClusterAuth(config.sealingKeys(), config.clusterId(), InstantSource.system());
        ClusterPool pool =
                new ClusterPool(
                        own,
                        config.clusterId(),
                        auth,
                        spans,
                        new ClusterTransport(config.clusterCaFile()),
                        config.loadInterval(),
                        config.createTimeout(),
                        config.controlTimeout());
        List<String> usual = config.relayAddresses().stream().map(HostPort::toString).toList();
        if (config.clusterMap().isEmpty()) {
            Placement single =
                    Placement.singleCluster(config.clusterId(), usual, config.overflow());
            return new Clusters(pool, single, null, null);
        }
        WatchedFiles<ClusterMap> map = map(config);
        Map<String, LongSupplier> failures = new HashMap<>(Map.of(MAP, map::failures));
        Supplier<LatencyTable> latencies = LatencyTable::empty;
        Runnable checkLatencies = () -> {};
        if (!config.latencyTable().isEmpty()) {
            WatchedFiles<LatencyTable> table =
                    new WatchedFiles<>(
                            LATENCIES,
                            List.of(Path.of(config.latencyTable())),
                            contents -> LatencyTable.parse(LATENCIES, contents.getFirst()));
            failures.put(LATENCIES, table::failures);
            latencies = table::current;
            checkLatencies = table::check;
        }
        telemetry.counters(Metric.CLUSTER_MAP_FAILURES, failures);
        telemetry.view("other clusters", pool::rows);
        Placement placement =
                new Steering(
                        map::current,
                        latencies,
                        pool,
                        config.clusterId(),
                        usual,
                        config.overflow(),
                        new SecureRandom());
        ClusterGateway gateway =
                config.clusterAddress().isEmpty()
                        ? null
                        : gateway(config, telemetry, own, auth, map, tls);
        pool.follow(map.current());
        Ticker ticker =
                Ticker.start(
                        "signaling-cluster-map",
                        PERIOD,
                        new Follower(map, pool, checkLatencies)::look);
        return new Clusters(pool, placement, gateway, ticker);
    }

    /** Looks at the files, and follows the newest map until that has worked. */
    private static final class Follower {
        private final WatchedFiles<ClusterMap> map;
        private final ClusterPool pool;
        private final Runnable checkLatencies;
        private ClusterMap followed;

        /** The pool follows the map as it is now. */
        Follower(WatchedFiles<ClusterMap> map, ClusterPool pool, Runnable checkLatencies) {
            this.map = map;
            this.pool = pool;
            this.checkLatencies = checkLatencies;
            this.followed = map.current();
        }

        void look() {
            checkLatencies.run();
            var _ = map.check();
            ClusterMap newest = map.current();
            if (newest != followed) {
                pool.follow(newest);
                followed = newest;
            }
        }
    }

    private static WatchedFiles<ClusterMap> map(SignalingConfig config) {
        return new WatchedFiles<>(
                MAP,
                List.of(Path.of(config.clusterMap())),
                contents -> {
                    ClusterMap map = ClusterMap.parse(MAP, contents.getFirst());
                    if (map.find(config.clusterId()).isEmpty()) {
                        throw new ConfigException(
                                MAP
                                        + ": has no cluster "
                                        + config.clusterId()
                                        + ", which is this process's cluster_id");
                    }
                    if (!config.clusterPlaintext()) {
                        map.clusters().forEach(Clusters::requireTls);
                    }
                    return map;
                });
    }

    private static void requireTls(Cluster cluster) {
        if (cluster.signaling().filter(at -> !isSecured(at)).isPresent()) {
            throw new ConfigException(
                    MAP
                            + ": signaling of "
                            + cluster.name()
                            + " is spoken to without TLS; write it as https, or set"
                            + " cluster_plaintext if the network between clusters is your own and"
                            + " encrypted");
        }
    }

    private static boolean isSecured(URI gateway) {
        return "https".equals(gateway.getScheme())
                || SignalingConfig.isLoopback(new HostPort(gateway.getHost(), gateway.getPort()));
    }

    private static ClusterGateway gateway(
            SignalingConfig config,
            Telemetry telemetry,
            TransceiverPool own,
            ClusterAuth auth,
            WatchedFiles<ClusterMap> map,
            Optional<SSLContext> tls) {
        ClusterGateway gateway =
                new ClusterGateway(
                        config.clusterAddress().getFirst().resolve("cluster_address"),
                        server ->
                                tls.map(context -> server.sslContext(ClusterGateway.tls(context)))
                                        .orElse(server),
                        own,
                        auth,
                        () ->
                                map.current()
                                        .find(config.clusterId())
                                        .filter(cluster -> cluster.state() == Cluster.State.ACTIVE)
                                        .isPresent());
        telemetry.counters(
                Metric.SIGNALING_GATEWAY_REFUSALS,
                Map.of(
                        "unauthenticated", gateway::refused,
                        "unknown_transceiver", gateway::unknown));
        return gateway;
    }

    ClusterPool pool() {
        return pool;
    }

    Placement placement() {
        return placement;
    }

    /** Where other clusters reach this one; empty when they cannot. */
    Optional<InetSocketAddress> address() {
        return Optional.ofNullable(gateway).map(ClusterGateway::address);
    }

    long gatewayRefusals() {
        return gateway == null ? 0 : gateway.refused() + gateway.unknown();
    }

    @Override
    public void close() {
        if (ticker != null) {
            ticker.close();
        }
        if (gateway != null) {
            gateway.close();
        }
        pool.close();
    }
}
