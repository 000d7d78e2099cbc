package dev.parley.relay;

import dev.parley.relay.store.StoreLane;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

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
            @Nullable UdpPort legPort,
            Legs legs,
            StoreLane lane,
            RelayCounters counters,
            long startNanos) {
        long timeoutNanos = config.flowTimeout().toNanos();
        FlowTable flows = memory.flows();
        PublicAddresses publics = new PublicAddresses(used(publicPorts));
        AddressRanges transceivers = new AddressRanges(config.transceiverCidrs());
        Destinations destinations = new Destinations(transceivers, config.clusterId(), legs);
        UpwardRoutes upward =
                new UpwardRoutes(flows, publics, config.keys(), destinations, hash, legs);
        DownwardRoutes downward =
                new DownwardRoutes(
                        flows,
                        publics,
                        destinations,
                        legs,
                        hash,
                        new RecoveryBudget(config.recoveriesPerSecond(), startNanos, timeoutNanos));
        FlowLookups lookups =
                new FlowLookups(
                        lane,
                        memory,
                        publics,
                        destinations,
                        hash,
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
                legPort,
                legs,
                upward,
                downward,
                flows,
                publics,
                lookups,
                writer,
                counters,
                new WorkerSettings(config.batch(), timeoutNanos, startNanos));
    }

    /**
     * A worker's ways to other clusters, of which it knows none yet.
     *
     * @param random for the number that its packets name it by
     */
    Legs legs(RandomGenerator random, long wallAheadNanos, long startNanos) {
        if (!config.hasLegs()) {
            return Legs.none();
        }
        LegPacket packet =
                new LegPacket(
                        config.legKeyRing(),
                        config.legKeyId(),
                        config.clusterId(),
                        random.nextInt());
        Legs legs = Legs.of(packet, config.legSettings(), startNanos);
        legs.wallAhead(wallAheadNanos);
        return legs;
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
