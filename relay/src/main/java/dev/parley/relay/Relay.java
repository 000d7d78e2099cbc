package dev.parley.relay;

import dev.parley.otel.Telemetry;
import dev.parley.relay.store.FlowStore;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.LoopThreads;
import dev.parley.runtime.udp.UdpBindException;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The relay service: the public UDP face of a cluster. It routes datagrams between clients and
 * transceivers, reads nothing of them but the route, and holds nothing that cannot be rebuilt.
 */
public final class Relay implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Relay.class.getName());

    private final List<RelayLoop> loops;
    private final FlowStore store;
    private final RelayMetrics metrics;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Relay(List<RelayLoop> loops, FlowStore store) {
        this.loops = loops;
        this.store = store;
        this.metrics = new RelayMetrics(loops);
    }

    /**
     * Warms up, binds the sockets and starts forwarding.
     *
     * @throws ConfigException when an address cannot be bound; the message names the key
     */
    public static Relay start(RelayConfig config, Telemetry telemetry) {
        LOG.log(System.Logger.Level.INFO, "relay config:\n{0}", ConfigLoader.describe(config));
        SeededHash hash = new SeededHash(new SecureRandom());
        WarmUp.run(config, hash);
        FlowStore store = config.openStore();
        Relay relay;
        try {
            relay = new Relay(bindAll(config, hash, store), store);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        store.register(telemetry);
        relay.metrics.register(telemetry, FlowTable.capacityFor(config.maxFlows()));
        ThreadFactory threads = LoopThreads.factory("relay-", config.udp());
        relay.loops.forEach(loop -> loop.start(threads));
        LOG.log(System.Logger.Level.INFO, relay.addresses(config));
        return relay;
    }

    private static List<RelayLoop> bindAll(RelayConfig config, SeededHash hash, FlowStore store) {
        List<RelayLoop> loops = new ArrayList<>();
        List<InetSocketAddress> publicAddresses =
                config.publicAddresses().stream().map(a -> a.resolve("public_addresses")).toList();
        try {
            for (int i = 0; i < config.workerCount(); i++) {
                RelayLoop loop = open(config, publicAddresses, hash, store, i);
                loops.add(loop);
                // Port 0 is decided by the first worker's sockets and then shared by all.
                publicAddresses = loop.publicPorts().stream().map(UdpPort::localAddress).toList();
            }
            return List.copyOf(loops);
        } catch (RuntimeException e) {
            loops.forEach(RelayLoop::abandon);
            throw e;
        }
    }

    private static RelayLoop open(
            RelayConfig config,
            List<InetSocketAddress> publicAddresses,
            SeededHash hash,
            FlowStore store,
            int i) {
        UdpPoller poller = config.openPoller();
        try {
            List<UdpPort> publicPorts = new ArrayList<>();
            boolean shared = config.workerCount() > 1;
            for (InetSocketAddress address : publicAddresses) {
                publicPorts.add(bind(poller, address, config, shared, "public_addresses"));
            }
            UdpPort upstream =
                    bind(poller, upstreamAddress(config, i), config, false, "upstream_address");
            RelayCounters counters = new RelayCounters();
            LoopAlarm alarm = new LoopAlarm();
            RelayWorker worker =
                    new WorkerAssembly(config, hash)
                            .assemble(
                                    publicPorts,
                                    upstream,
                                    store.open(alarm),
                                    counters,
                                    System.nanoTime());
            RelayLoop loop =
                    new RelayLoop(
                            poller,
                            List.copyOf(publicPorts),
                            upstream,
                            worker,
                            counters,
                            config.busyWait(),
                            core(config, i));
            alarm.wakes(loop);
            return loop;
        } catch (RuntimeException e) {
            poller.close();
            throw e;
        }
    }

    private static @Nullable Integer core(RelayConfig config, int worker) {
        List<Integer> cores = config.workerCores();
        return cores.isEmpty() ? null : cores.get(worker % cores.size());
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
            UdpPort port =
                    poller.bind(
                            address,
                            new UdpOptions(
                                    shared,
                                    config.receiveBufferBytes(),
                                    config.sendBufferBytes(),
                                    config.busyPollMicros()));
            warnOfSmall(
                    "receive_buffer_bytes",
                    config.receiveBufferBytes(),
                    port.receiveBufferBytes(),
                    "rmem_max");
            warnOfSmall(
                    "send_buffer_bytes",
                    config.sendBufferBytes(),
                    port.sendBufferBytes(),
                    "wmem_max");
            return port;
        } catch (UdpBindException e) {
            throw new ConfigException(
                    key + ": " + e.getMessage() + "; free it or give an address of this machine");
        }
    }

    private static void warnOfSmall(String key, int asked, int granted, String limit) {
        if (granted < asked) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0}: the kernel grants {1} of {2} bytes; raise net.core.{3}, or bursts are lost",
                    key,
                    Integer.toString(granted),
                    Integer.toString(asked),
                    limit);
        }
    }

    private String addresses(RelayConfig config) {
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
                + (config.udp().isBatched() ? ", batched calls" : ", portable calls");
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
            store.close();
            LOG.log(System.Logger.Level.INFO, "relay stopped: {0}", metrics.summary());
        }
    }
}
