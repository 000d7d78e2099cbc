package dev.parley.relay;

import dev.parley.relay.store.StoreLane;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.util.List;

/** Builds workers from a config; what they share is immutable. */
final class WorkerAssembly {
    private final RelayConfig config;
    private final SeededHash hash;

    WorkerAssembly(RelayConfig config, SeededHash hash) {
        this.config = config;
        this.hash = hash;
    }

    /** A worker between sockets that are bound already; its time to take flows up begins now. */
    RelayWorker assemble(
            WorkerMemory memory,
            List<UdpPort> publicPorts,
            UdpPort upstream,
            StoreLane lane,
            RelayCounters counters,
            long startNanos) {
        long timeoutNanos = config.flowTimeout().toNanos();
        FlowTable flows = memory.flows();
        PublicAddresses publics = new PublicAddresses(used(publicPorts));
        AddressRanges transceivers = new AddressRanges(config.transceiverCidrs());
        UpwardRoutes upward =
                new UpwardRoutes(
                        flows,
                        publics,
                        new RouteTokens(config.keys()),
                        transceivers,
                        hash,
                        config.clusterId());
        DownwardRoutes downward =
                new DownwardRoutes(
                        flows,
                        publics,
                        transceivers,
                        new RecoveryBudget(config.recoveriesPerSecond(), startNanos, timeoutNanos));
        FlowLookups lookups =
                new FlowLookups(
                        lane,
                        memory,
                        publics,
                        transceivers,
                        hash,
                        config.clusterId(),
                        new PerSecond(config.storeRequestsPerSecond(), startNanos),
                        counters);
        FlowWriter writer =
                new FlowWriter(
                        lane,
                        flows,
                        publics,
                        config.clusterId(),
                        config.refreshAfter().toNanos(),
                        new PerSecond(config.storeRequestsPerSecond(), startNanos));
        return new RelayWorker(
                publicPorts,
                upstream,
                upward,
                downward,
                flows,
                publics,
                lookups,
                writer,
                counters,
                new WorkerSettings(config.batch(), timeoutNanos, startNanos));
    }

    /** The addresses that clients use. */
    private List<InetSocketAddress> used(List<UdpPort> publicPorts) {
        return config.advertisedAddresses().isEmpty()
                ? publicPorts.stream().map(UdpPort::localAddress).toList()
                : config.advertisedAddresses().stream()
                        .map(address -> address.resolve("advertised_addresses"))
                        .toList();
    }
}
