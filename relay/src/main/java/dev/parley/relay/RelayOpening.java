package dev.parley.relay;

import dev.parley.otel.trace.Tracing;
import dev.parley.relay.store.FlowStore;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.udp.UdpBindException;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a relay's workers with their sockets: new ones, or those of the relay that it follows,
 * whose flows they then have as well.
 */
final class RelayOpening {
    private static final System.Logger LOG = System.getLogger(RelayOpening.class.getName());

    private final RelayConfig config;
    private final SeededHash hash;
    private final FlowStore store;
    private final SecureRandom random = new SecureRandom();
    private final Deque<WorkerMemory> memories = new ArrayDeque<>();
    private final List<Runnable> remarks = new ArrayList<>();

    RelayOpening(RelayConfig config, SeededHash hash, FlowStore store) {
        this.config = config;
        this.hash = hash;
        this.store = store;
        for (int i = 0; i < config.workerCount(); i++) {
            memories.add(WorkerMemory.of(config, hash));
        }
    }

    /**
     * Opens everything or nothing; nothing runs yet.
     *
     * @param takeover sockets to go on with; null for new ones
     * @throws ConfigException when an address cannot be bound; the message names the key
     */
    List<RelayLoop> open(@Nullable Takeover takeover) {
        List<RelayLoop> loops = new ArrayList<>();
        try {
            if (takeover != null) {
                adoptAll(takeover.shares(), loops);
            } else {
                bindAll(loops);
            }
            return List.copyOf(loops);
        } catch (RuntimeException e) {
            loops.forEach(RelayLoop::abandon);
            throw e;
        }
    }

    private void bindAll(List<RelayLoop> loops) {
        List<InetSocketAddress> publicAddresses =
                config.publicAddresses().stream().map(a -> a.resolve("public_addresses")).toList();
        for (int i = 0; i < config.workerCount(); i++) {
            RelayLoop loop = bind(publicAddresses, i);
            loops.add(loop);
            // Port 0 is decided by the first worker's sockets and then shared by all.
            publicAddresses = loop.publicPorts().stream().map(UdpPort::localAddress).toList();
        }
    }

    private RelayLoop bind(List<InetSocketAddress> publicAddresses, int i) {
        UdpPoller poller = config.openPoller();
        try {
            List<UdpPort> publicPorts = new ArrayList<>();
            boolean shared = config.workerCount() > 1;
            for (InetSocketAddress address : publicAddresses) {
                publicPorts.add(bind(poller, address, shared, "public_addresses"));
            }
            UdpPort upstream = bind(poller, upstreamAddress(i), false, "upstream_address");
            UdpPort leg =
                    config.hasLegs()
                            ? bind(
                                    poller,
                                    nth(config.legAddress(), i, "leg_address"),
                                    false,
                                    "leg_address")
                            : null;
            return loop(poller, List.copyOf(publicPorts), upstream, leg, null, i);
        } catch (RuntimeException e) {
            poller.close();
            throw e;
        }
    }

    private void adoptAll(List<Takeover.Share> shares, List<RelayLoop> loops) {
        if (shares.size() != config.workerCount()) {
            remark(
                    System.Logger.Level.WARNING,
                    "workers: the relay that ran here has {0}, not {1}; it stays so until this one"
                            + " is stopped with no other in its place",
                    shares.size(),
                    config.workerCount());
        }
        for (int i = 0; i < shares.size(); i++) {
            loops.add(adopt(shares.get(i), i));
        }
    }

    private RelayLoop adopt(Takeover.Share share, int i) {
        UdpPoller poller = config.openPoller();
        try {
            List<UdpPort> ports =
                    Arrays.stream(share.descriptors()).mapToObj(poller::adopt).toList();
            int publics = config.publicAddresses().size();
            return loop(
                    poller,
                    ports.subList(0, publics),
                    ports.get(publics),
                    config.hasLegs() ? ports.getLast() : null,
                    share.flows(),
                    i);
        } catch (RuntimeException e) {
            poller.close();
            throw e;
        }
    }

    private RelayLoop loop(
            UdpPoller poller,
            List<UdpPort> publicPorts,
            UdpPort upstream,
            @Nullable UdpPort leg,
            @Nullable ByteBuffer flows,
            int i) {
        long now = System.nanoTime();
        RelayCounters counters = new RelayCounters();
        LoopAlarm alarm = new LoopAlarm();
        WorkerAssembly assembly = new WorkerAssembly(config, hash);
        Legs legs = assembly.legs(random, Tracing.epochNanos() - now, now);
        RelayWorker worker =
                assembly.assemble(
                        memory(),
                        publicPorts,
                        upstream,
                        leg,
                        legs,
                        store.open(alarm),
                        counters,
                        now);
        if (flows != null) {
            int count = worker.importFlows(flows, now);
            remark(System.Logger.Level.INFO, "worker {0} has taken over {1} flows", i, count);
        }
        RelayLoop loop =
                new RelayLoop(
                        poller,
                        publicPorts,
                        upstream,
                        leg,
                        legs,
                        worker,
                        counters,
                        config.busyWait(),
                        core(i));
        alarm.wakes(loop);
        return loop;
    }

    private WorkerMemory memory() {
        WorkerMemory made = memories.poll();
        return made == null ? WorkerMemory.of(config, hash) : made;
    }

    // A line takes a while to be written, the first ones most of all, and packets wait already.
    private void remark(System.Logger.Level level, String format, Object... values) {
        Object[] texts = Arrays.stream(values).map(String::valueOf).toArray();
        remarks.add(() -> LOG.log(level, format, texts));
    }

    /** Logs what was noticed while opening; for when the loops run. */
    void tell() {
        remarks.forEach(Runnable::run);
    }

    private @Nullable Integer core(int worker) {
        List<Integer> cores = config.workerCores();
        return cores.isEmpty() ? null : cores.get(worker % cores.size());
    }

    private InetSocketAddress upstreamAddress(int worker) {
        return nth(config.upstreamAddress(), worker, "upstream_address");
    }

    private static InetSocketAddress nth(HostPort base, int worker, String key) {
        int port = base.port() == 0 ? 0 : base.port() + worker;
        return new HostPort(base.host(), port).resolve(key);
    }

    private UdpPort bind(UdpPoller poller, InetSocketAddress address, boolean shared, String key) {
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

    private void warnOfSmall(String key, int asked, int granted, String limit) {
        if (granted < asked) {
            remark(
                    System.Logger.Level.WARNING,
                    "{0}: the kernel grants {1} of {2} bytes; raise net.core.{3}, or bursts are lost",
                    key,
                    granted,
                    asked,
                    limit);
        }
    }
}
