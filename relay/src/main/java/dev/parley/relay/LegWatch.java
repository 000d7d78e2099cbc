package dev.parley.relay;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.trace.Tracing;
import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.reload.Ticker;
import dev.parley.runtime.reload.WatchedFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cluster map, again when it changes, and tells the workers; and the wall clock, which
 * steps. Owned by the relay, with a virtual thread of its own.
 */
final class LegWatch implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final String OPTION = "cluster_map";

    private final WatchedFiles<ClusterMap> map;
    private final int clusterId;
    private List<Legs> workers = List.of();
    private @Nullable Ticker ticker;

    private LegWatch(WatchedFiles<ClusterMap> map, int clusterId) {
        this.map = map;
        this.clusterId = clusterId;
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
                own);
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
    void start(List<Legs> legs) {
        workers = legs;
        tellPlan();
        ticker = Ticker.start("relay-cluster-map", PERIOD, this::look);
    }

    private void look() {
        long ahead = Tracing.epochNanos() - System.nanoTime();
        workers.forEach(worker -> worker.wallAhead(ahead));
        if (map.check()) {
            tellPlan();
        }
    }

    private void tellPlan() {
        LegPlan plan = LegPlan.of(map.current(), clusterId);
        workers.forEach(worker -> worker.plan(plan));
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
