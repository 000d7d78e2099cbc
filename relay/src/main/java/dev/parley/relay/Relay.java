package dev.parley.relay;

import dev.parley.otel.Histogram;
import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.trace.Tracing;
import dev.parley.relay.store.FlowStore;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.load.LoopWatch;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.LocalSocket;
import dev.parley.runtime.udp.LoopThreads;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The relay service: the public UDP face of a cluster. It routes datagrams between clients and
 * transceivers, reads nothing of them but the route, and holds nothing that cannot be rebuilt.
 */
public final class Relay implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Relay.class.getName());

    /**
     * How long a start may wait, after its warm-up, for a flow store that neither answers nor
     * refuses; it goes on without.
     */
    private static final Duration STORE_PATIENCE = Duration.ofMillis(500);

    private static final double NANOS_PER_SECOND = 1e9;
    private static final String STANDSTILL = "a worker stands still, its clients hear nothing";

    private final RelayConfig config;
    private final List<RelayLoop> loops;
    private final FlowStore store;
    private final RelayMetrics metrics;
    private final FlowTracer tracer;
    private final ThreadFactory threads;
    private final HealthEndpoint healthEndpoint;
    private final @Nullable Takeover takeover;
    private final @Nullable LegWatch legWatch;
    private @Nullable Succession succession;
    private volatile @Nullable LoopWatch loopWatch;
    private volatile boolean succeeded;

    /** Another process may have the sockets, too, though it never said that it reads them. */
    private volatile boolean shared;

    private volatile boolean closed;

    private Relay(
            RelayConfig config,
            List<RelayLoop> loops,
            ThreadFactory threads,
            FlowStore store,
            HealthEndpoint healthEndpoint,
            @Nullable Takeover takeover,
            @Nullable LegWatch legWatch,
            Tracing tracing) {
        this.config = config;
        this.tracer = new FlowTracer(tracing, loops.stream().map(RelayLoop::notices).toList());
        this.loops = loops;
        this.store = store;
        this.takeover = takeover;
        this.legWatch = legWatch;
        this.metrics = new RelayMetrics(loops);
        this.threads = threads;
        this.healthEndpoint = healthEndpoint;
    }

    /**
     * Warms up, binds the sockets, or takes them over from the relay that has them, and starts
     * forwarding.
     *
     * @throws ConfigException when an address cannot be bound; the message names the key. Also when
     *     the relay that has the sockets takes them back before it knows that this one reads them
     */
    public static Relay start(RelayConfig config, Telemetry telemetry) {
        LOG.log(System.Logger.Level.INFO, "relay config:\n{0}", ConfigLoader.describe(config));
        StartingHealth health = new StartingHealth();
        HealthEndpoint healthEndpoint =
                new HealthEndpoint(config.healthAddress().resolve("health_address"), health);
        SeededHash hash = new SeededHash(new SecureRandom());
        LegWatch legWatch = config.hasLegs() ? LegWatch.of(config) : null;
        // It connects while the loop practises.
        FlowStore store = config.openStore();
        Takeover takeover = null;
        Relay relay;
        try {
            WarmUp.run(config, hash);
            RelayOpening opening = new RelayOpening(config, hash, store);
            healthEndpoint.open();
            Tracing tracing = telemetry.tracing("relay");
            ThreadFactory threads = LoopThreads.factory("relay-", config.udp());
            store.prepare(STORE_PATIENCE);
            takeover = findTakeover(config);
            List<RelayLoop> loops = opening.open(takeover);
            // From here on packets wait: the loops first, then all else.
            if (legWatch != null) {
                legWatch.start(loops.stream().map(Relay::legsOf).toList());
            }
            loops.forEach(loop -> loop.start(threads));
            relay =
                    new Relay(
                            config,
                            loops,
                            threads,
                            store,
                            healthEndpoint,
                            takeover,
                            legWatch,
                            tracing);
            health.started(relay.new Health());
            opening.tell();
        } catch (RuntimeException e) {
            healthEndpoint.close();
            store.close();
            if (takeover != null) {
                takeover.close();
            }
            if (legWatch != null) {
                legWatch.close();
            }
            throw e;
        }
        relay.run(telemetry);
        return relay;
    }

    private static LegWatch.Worker legsOf(RelayLoop loop) {
        UdpPort port = Objects.requireNonNull(loop.findLegPort());
        return new LegWatch.Worker(loop.legs(), port.localAddress());
    }

    private void run(Telemetry telemetry) {
        if (takeover != null && !takeover.confirm()) {
            shared = true;
            close();
            throw new ConfigException(
                    "the relay that runs here has taken its sockets back, as it was not told in"
                            + " time that this one reads them; start this one again");
        }
        store.register(telemetry);
        metrics.register(telemetry, FlowTable.capacityFor(config.maxFlows()));
        if (legWatch != null) {
            legWatch.register(telemetry);
        }
        telemetry.view("relay workers", metrics::rows);
        Histogram stalls = telemetry.histogram(Metric.LOOP_STALL);
        loopWatch =
                LoopWatch.start(
                        loops.stream().map(RelayLoop::pulse).toList(),
                        nanos -> stalls.record(nanos / NANOS_PER_SECOND, "relay"),
                        Relay::standsStill);
        telemetry.counters(Metric.RELAY_FLOW_SPANS_LOST, Map.of("too_many", tracer::lost));
        if (isPassable(config)) {
            succession =
                    Succession.await(successionName(config), addressText(config), new Incumbent());
        }
        LOG.log(System.Logger.Level.INFO, addresses());
    }

    private static void standsStill(boolean standing) {
        if (standing) {
            LOG.log(System.Logger.Level.ERROR, STANDSTILL);
        } else {
            LOG.log(System.Logger.Level.INFO, "all workers turn again");
        }
    }

    // --- following another process, and being followed

    private static boolean isPassable(RelayConfig config) {
        return config.handover()
                && config.udp().isBatched()
                && LocalSocket.isSupported()
                && config.upstreamAddress().port() != 0
                && !(config.hasLegs() && config.legAddress().port() == 0)
                && config.publicAddresses().stream().allMatch(address -> address.port() != 0);
    }

    private static String successionName(RelayConfig config) {
        return "parley-relay " + config.publicAddresses().getFirst();
    }

    private static String addressText(RelayConfig config) {
        return config.publicAddresses()
                + " and "
                + config.upstreamAddress()
                + (config.hasLegs() ? " and " + config.legAddress() : "");
    }

    private static @Nullable Takeover findTakeover(RelayConfig config) {
        return isPassable(config)
                ? Takeover.find(successionName(config), addressText(config), config.sockets())
                : null;
    }

    /** What the successor's arrival and end do to this relay. */
    private final class Incumbent implements Succession.Incumbent {
        @Override
        public List<Takeover.Share> cease() {
            synchronized (Relay.this) {
                if (closed) {
                    return List.of();
                }
                loops.forEach(RelayLoop::pause);
                shared = true;
                return loops.stream()
                        .map(loop -> new Takeover.Share(loop.descriptors(), loop.exportFlows()))
                        .toList();
            }
        }

        @Override
        public void succeeded() {
            succeeded = true;
            healthEndpoint.close();
            if (takeover != null) {
                takeover.supersede();
            }
        }

        @Override
        public void letGo() {
            synchronized (Relay.this) {
                loops.forEach(RelayLoop::close);
            }
        }

        @Override
        public void resume(boolean alone) {
            synchronized (Relay.this) {
                if (!closed) {
                    succeeded = false;
                    shared = !alone;
                    loops.forEach(loop -> loop.resume(threads));
                    healthEndpoint.open();
                }
            }
        }
    }

    /**
     * Takes the route keys of a config that was read again: tokens are opened by them from now on,
     * and flows that are there stay. Nothing else of it is looked at.
     */
    public void reload(RelayConfig fresh) {
        loops.forEach(loop -> loop.useKeys(fresh.keys()));
        LOG.log(
                System.Logger.Level.INFO,
                "route keys were read again; tokens of {0} open",
                String.join(", ", fresh.routeKeys().keySet()));
    }

    private String addresses() {
        String upstream =
                loops.stream()
                        .map(loop -> IpAddress.text(loop.upstreamPort().localAddress()))
                        .collect(Collectors.joining(", "));
        String publics =
                publicAddresses().stream().map(IpAddress::text).collect(Collectors.joining(", "));
        return "relay on "
                + publics
                + ", towards transceivers from "
                + upstream
                + legText()
                + (config.udp().isBatched() ? ", batched calls" : ", portable calls");
    }

    private String legText() {
        List<InetSocketAddress> legs = legAddresses();
        return legs.isEmpty()
                ? ""
                : legs.stream()
                        .map(IpAddress::text)
                        .collect(Collectors.joining(", ", ", towards other clusters from ", ""));
    }

    /** Where each worker's packets of other clusters' relays arrive; empty without legs. */
    public List<InetSocketAddress> legAddresses() {
        return loops.stream()
                .map(RelayLoop::findLegPort)
                .filter(Objects::nonNull)
                .map(UdpPort::localAddress)
                .toList();
    }

    /** The public addresses as bound, in the order of the config. */
    public List<InetSocketAddress> publicAddresses() {
        return loops.getFirst().publicPorts().stream().map(UdpPort::localAddress).toList();
    }

    /** Where {@code /livez} and {@code /readyz} are; null while another process has the address. */
    public @Nullable InetSocketAddress findHealthAddress() {
        return healthEndpoint.findAddress();
    }

    private final class Health implements RelayHealth {
        @Override
        public List<String> faults() {
            List<String> faults = new ArrayList<>();
            if (loops.stream().anyMatch(RelayLoop::hasFailed)) {
                faults.add("a worker has failed, its clients are cut off");
            }
            LoopWatch watch = loopWatch;
            if (watch != null && watch.isStanding()) {
                faults.add(STANDSTILL);
            }
            return faults;
        }

        @Override
        public List<String> obstacles() {
            List<String> obstacles = new ArrayList<>(faults());
            if (closed) {
                obstacles.add("stopping");
            }
            if (succeeded) {
                obstacles.add("another process has taken over");
            }
            return obstacles;
        }

        @Override
        public List<String> defects() {
            List<String> defects = new ArrayList<>();
            String problem = store.findProblem();
            if (problem != null) {
                defects.add(problem + "; flows are recovered from transceivers and checks only");
            }
            if (legWatch != null && !legWatch.problem().isEmpty()) {
                defects.add(legWatch.problem());
            }
            loops.stream()
                    .filter(loop -> loop.counters().flows() >= config.maxFlows())
                    .findFirst()
                    .ifPresent(
                            _ ->
                                    defects.add(
                                            "a worker's flow table is full; raise max_flows or"
                                                    + " add relays"));
            return defects;
        }
    }

    /**
     * Is not ready any more, forwards what waits in its sockets, and closes them. Calling it again
     * does nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (succession != null) {
            succession.close();
        }
        LoopWatch watch = loopWatch;
        if (watch != null) {
            watch.close();
        }
        // What leaves its address does so for everybody who has the socket.
        boolean alone =
                !succeeded && !shared && (takeover == null || !takeover.isPredecessorThere());
        synchronized (this) {
            loops.forEach(alone ? RelayLoop::leave : RelayLoop::close);
        }
        if (takeover != null) {
            takeover.close();
        }
        if (legWatch != null) {
            legWatch.close();
        }
        healthEndpoint.close();
        tracer.close();
        store.close();
        LOG.log(System.Logger.Level.INFO, "relay stopped: {0}", metrics.summary());
    }
}
