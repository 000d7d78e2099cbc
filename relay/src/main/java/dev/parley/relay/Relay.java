package dev.parley.relay;

import dev.parley.otel.Telemetry;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.NioUdpPoller;
import dev.parley.runtime.udp.UdpBindException;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * The relay service: the public UDP face of a cluster. It routes datagrams between clients and
 * transceivers, reads nothing of them but the route, and holds nothing that cannot be rebuilt.
 */
public final class Relay implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Relay.class.getName());

    private final List<RelayLoop> loops;
    private final RelayMetrics metrics;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Relay(List<RelayLoop> loops) {
        this.loops = loops;
        this.metrics = new RelayMetrics(loops);
    }

    /**
     * Binds the sockets and starts forwarding.
     *
     * @throws ConfigException when an address cannot be bound; the message names the key
     */
    public static Relay start(RelayConfig config, Telemetry telemetry) {
        LOG.log(System.Logger.Level.INFO, "relay config:\n" + ConfigLoader.describe(config));
        SeededHash hash = new SeededHash(new SecureRandom());
        List<RelayLoop> loops = new ArrayList<>();
        List<InetSocketAddress> publicAddresses =
                config.publicAddresses().stream().map(a -> a.resolve("public_addresses")).toList();
        try {
            for (int i = 0; i < config.workers(); i++) {
                RelayLoop loop = open(config, publicAddresses, hash, i);
                loops.add(loop);
                // Port 0 is decided by the first worker's sockets and then shared by all.
                publicAddresses = loop.publicPorts().stream().map(UdpPort::localAddress).toList();
            }
        } catch (RuntimeException e) {
            loops.forEach(RelayLoop::abandon);
            throw e;
        }
        Relay relay = new Relay(List.copyOf(loops));
        relay.metrics.register(telemetry, FlowTable.capacityFor(config.maxFlows()) * loops.size());
        for (int i = 0; i < loops.size(); i++) {
            loops.get(i).start(i);
        }
        LOG.log(System.Logger.Level.INFO, relay.addresses());
        return relay;
    }

    private static RelayLoop open(
            RelayConfig config, List<InetSocketAddress> publicAddresses, SeededHash hash, int i) {
        UdpPoller poller = new NioUdpPoller();
        try {
            List<UdpPort> publicPorts = new ArrayList<>();
            for (InetSocketAddress address : publicAddresses) {
                publicPorts.add(
                        bind(poller, address, config, config.workers() > 1, "public_addresses"));
            }
            UdpPort upstream =
                    bind(poller, upstreamAddress(config, i), config, false, "upstream_address");
            return loop(config, poller, publicPorts, upstream, hash);
        } catch (RuntimeException e) {
            poller.close();
            throw e;
        }
    }

    private static InetSocketAddress upstreamAddress(RelayConfig config, int worker) {
        HostPort base = config.upstreamAddress();
        int port = base.port() == 0 ? 0 : base.port() + worker;
        return new HostPort(base.host(), port).resolve("upstream_address");
    }

    private static UdpPort bind(
            UdpPoller poller,
            InetSocketAddress address,
            RelayConfig config,
            boolean shared,
            String key) {
        try {
            return poller.bind(
                    address,
                    new UdpOptions(shared, config.receiveBufferBytes(), config.sendBufferBytes()));
        } catch (UdpBindException e) {
            throw new ConfigException(
                    key + ": " + e.getMessage() + "; free it or give an address of this machine");
        }
    }

    private static RelayLoop loop(
            RelayConfig config,
            UdpPoller poller,
            List<UdpPort> publicPorts,
            UdpPort upstream,
            SeededHash hash) {
        long timeoutNanos = config.flowTimeout().toNanos();
        long startNanos = System.nanoTime();
        FlowTable flows = new FlowTable(hash, config.maxFlows(), timeoutNanos);
        PublicAddresses publics =
                new PublicAddresses(publicPorts.stream().map(UdpPort::localAddress).toList());
        AddressRanges transceivers = new AddressRanges(config.transceiverCidrs());
        RelayCounters counters = new RelayCounters();
        RelayWorker worker =
                new RelayWorker(
                        publicPorts,
                        upstream,
                        new UpwardRoutes(
                                flows,
                                publics,
                                new RouteTokens(config.keys()),
                                transceivers,
                                hash,
                                config.clusterId()),
                        new DownwardRoutes(
                                flows,
                                publics,
                                transceivers,
                                new RecoveryBudget(
                                        config.recoveriesPerSecond(), startNanos, timeoutNanos)),
                        flows,
                        counters,
                        new WorkerSettings(config.batch(), timeoutNanos, startNanos));
        return new RelayLoop(poller, List.copyOf(publicPorts), upstream, worker, counters);
    }

    private String addresses() {
        String upstream =
                loops.stream()
                        .map(loop -> IpAddress.text(loop.upstreamPort().localAddress()))
                        .collect(Collectors.joining(", "));
        String publics =
                publicAddresses().stream().map(IpAddress::text).collect(Collectors.joining(", "));
        return "relay on " + publics + ", towards transceivers from " + upstream;
    }

    /** The public addresses as bound, in the order of the config. */
    public List<InetSocketAddress> publicAddresses() {
        return loops.getFirst().publicPorts().stream().map(UdpPort::localAddress).toList();
    }

    /** Stops forwarding and closes the sockets. Calling it again does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            loops.forEach(RelayLoop::close);
            LOG.log(System.Logger.Level.INFO, "relay stopped: " + metrics.summary());
        }
    }
}
