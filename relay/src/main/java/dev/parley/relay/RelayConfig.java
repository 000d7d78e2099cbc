package dev.parley.relay;

import dev.parley.relay.store.FlowStore;
import dev.parley.relay.store.RedisMode;
import dev.parley.relay.store.RedisSettings;
import dev.parley.relay.store.StoreSettings;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.config.Option;
import dev.parley.runtime.udp.UdpMode;
import dev.parley.runtime.udp.UdpPoller;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Everything that can be set on a relay. */
public record RelayConfig(
        @Option(
                        value =
                                "public UDP addresses, each bound and, unless a wildcard, named to"
                                        + " transceivers as the one the client used",
                        orElse = "0.0.0.0:3478")
                List<HostPort> publicAddresses,
        @Option(
                        value =
                                "the addresses that clients use, one for each of public_addresses,"
                                        + " where a load balancer in front of several relays"
                                        + " replaces them; empty when clients use those themselves",
                        orElse = "")
                List<HostPort> advertisedAddresses,
        @Option(
                        value =
                                "local address of the sockets towards transceivers; worker i uses"
                                        + " the port plus i; port 0 takes any, but then downstream"
                                        + " packets do not find a restarted relay",
                        orElse = "0.0.0.0:3479")
                HostPort upstreamAddress,
        @Option(
                        value =
                                "packet loops, each with its sockets and flows; 0 for all cores but"
                                        + " one, or a single one in portable mode",
                        orElse = "0",
                        min = 0,
                        max = 256)
                int workers,
        @Option("where transceivers may live; nothing is forwarded to or from anywhere else")
                List<Cidr> transceiverCidrs,
        @Option(
                        value =
                                "route token keys: key id 0 to 15 = 32 hex digits, two while rotating",
                        secret = true)
                Map<String, String> routeKeys,
        @Option(
                        value = "this cluster's number, as transceivers put it into route tokens",
                        orElse = "0",
                        min = 0,
                        max = 65_535)
                int clusterId,
        @Option(
                        value =
                                "YAML file of all clusters, for sending on what belongs to others;"
                                        + " read again when it changes; empty for a fleet of one"
                                        + " cluster",
                        orElse = "")
                String clusterMap,
        @Option(
                        value =
                                "local address of the sockets towards relays of other clusters;"
                                        + " worker i uses the port plus i, and the cluster map says"
                                        + " where others reach them",
                        orElse = "0.0.0.0:3490")
                HostPort legAddress,
        @Option(
                        value =
                                "addresses of the first worker's leg_address as the cluster map has"
                                        + " them, where they are not this machine's own (network"
                                        + " address translation)",
                        orElse = "")
                List<HostPort> advertisedLegAddresses,
        @Option(
                        value =
                                "keys that packets between clusters are sealed with: key id 0 to 15"
                                        + " = 32 hex digits, two while rotating",
                        orElse = "",
                        secret = true)
                Map<String, String> legKeys,
        @Option(
                        value = "which of leg_keys seals; all of them open",
                        orElse = "0",
                        min = 0,
                        max = 15)
                int legKeyId,
        @Option(
                        value =
                                "by how much clocks of the fleet may differ: older packets between"
                                        + " clusters are refused",
                        orElse = "60s",
                        min = 1_000,
                        max = 600_000)
                Duration legClockTolerance,
        @Option(
                        value =
                                "how long another cluster's relay may leave probes unanswered before"
                                        + " packets go another way; longer than any round trip"
                                        + " between clusters",
                        orElse = "700ms",
                        min = 50,
                        max = 60_000)
                Duration legTimeout,
        @Option(
                        value =
                                "how long a flow lives without a packet; longer than the"
                                        + " transceivers' consent_timeout",
                        orElse = "60s",
                        min = 1_000,
                        max = 3_600_000)
                Duration flowTimeout,
        @Option(
                        value =
                                "most client addresses that one worker remembers; beyond it new"
                                        + " clients are routed by their checks alone",
                        orElse = "100_000",
                        min = 16,
                        max = 4_000_000)
                int maxFlows,
        @Option(
                        value =
                                "flows a second that one worker takes up again after a restart on a"
                                        + " transceiver's word",
                        orElse = "20_000",
                        min = 0,
                        max = 4_000_000)
                int recoveriesPerSecond,
        @Option(
                        value = "SO_RCVBUF of each socket; net.core.rmem_max caps it",
                        orElse = "4_194_304",
                        min = 4_096,
                        max = 1_073_741_824)
                int receiveBufferBytes,
        @Option(
                        value = "SO_SNDBUF of each socket; net.core.wmem_max caps it",
                        orElse = "4_194_304",
                        min = 4_096,
                        max = 1_073_741_824)
                int sendBufferBytes,
        @Option(value = "datagrams moved in one go", orElse = "64", min = 1, max = 1_024) int batch,
        @Option(
                        value =
                                "auto, native (batched system calls, Linux only) or portable"
                                        + " (DatagramChannel)",
                        orElse = "auto")
                UdpMode udp,
        @Option(
                        value =
                                "core of each worker in turn; empty leaves the choice to the system",
                        orElse = "",
                        min = 0,
                        max = 8_191)
                List<Integer> workerCores,
        @Option(value = "whether workers look for datagrams without ever waiting", orElse = "false")
                boolean busyWait,
        @Option(
                        value = "SO_BUSY_POLL of each socket in microseconds, 0 for off",
                        orElse = "0",
                        min = 0,
                        max = 1_000_000)
                int busyPollMicros,
        @Option(
                        value =
                                "how long to practise on private sockets before the public ones are"
                                        + " bound, so that the first second loses nothing; 0s for"
                                        + " not at all",
                        orElse = "300ms",
                        min = 0,
                        max = 60_000)
                Duration warmUp,
        @Option(
                        value =
                                "whether a relay started with the same addresses takes over the"
                                        + " sockets and flows of the one that has them, losing"
                                        + " nothing; batched calls and fixed ports only",
                        orElse = "true")
                boolean handover,
        @Option(
                        value =
                                "where /livez and /readyz are; for this machine only, unless the"
                                        + " orchestrator asks from elsewhere",
                        orElse = "127.0.0.1:3480")
                HostPort healthAddress,
        @Option(
                        value =
                                "where flows are remembered for other relays and for this one's next"
                                        + " run: none, redis, or memory (within this process)",
                        orElse = "none")
                FlowStoreKind flowStore,
        @Option(
                        value =
                                "reads and, apart from them, writes of the flow store that one worker"
                                        + " may make in a second",
                        orElse = "5_000",
                        min = 1,
                        max = 1_000_000)
                int storeRequestsPerSecond,
        @Option(value = "Redis servers, Sentinels or some of a Cluster's nodes", orElse = "")
                List<HostPort> redisNodes,
        @Option(
                        value =
                                "what the nodes are: standalone (only the first is used), sentinel or"
                                        + " cluster",
                        orElse = "standalone")
                RedisMode redisMode,
        @Option(value = "name by which Sentinels know the master", orElse = "") String redisMaster,
        @Option(value = "whether Redis and Sentinels are reached by TLS", orElse = "false")
                boolean redisTls,
        @Option(
                        value =
                                "PEM file of the authorities that a Redis server's certificate may come"
                                        + " from; empty for the system's",
                        orElse = "")
                String redisCaFile,
        @Option(value = "ACL user of Redis; empty for the default one", orElse = "")
                String redisUsername,
        @Option(value = "password of Redis; empty for none", orElse = "", secret = true)
                String redisPassword,
        @Option(value = "password of Sentinels; empty for none", orElse = "", secret = true)
                String redisSentinelPassword,
        @Option(value = "number of the Redis database", orElse = "0", min = 0, max = 1_023)
                int redisDatabase,
        @Option(
                        value = "how long Redis may take to answer before it is not waited for",
                        orElse = "100ms",
                        min = 5,
                        max = 10_000)
                Duration redisTimeout,
        @Option(value = "what every key in Redis begins with", orElse = "parley:flow:")
                String redisKeyPrefix) {
    public RelayConfig {
        RelayConfigChecks.requireAddresses(publicAddresses, advertisedAddresses, transceiverCidrs);
        int count = workerCount(workers, udp);
        RelayConfigChecks.requireRoom("upstream_address", upstreamAddress, count);
        RelayConfigChecks.requireUdp(udp, workerCores);
        var _ = RelayConfigChecks.keys("route_keys", routeKeys);
        if (!clusterMap.isEmpty()) {
            RelayConfigChecks.requireLegKey(legKeys, legKeyId);
            RelayConfigChecks.requireRoom("leg_address", legAddress, count);
        }
        if (flowStore == FlowStoreKind.REDIS) {
            RelayConfigChecks.requireRedis(
                    redisNodes, redisMode, redisMaster, redisDatabase, redisCaFile);
        } else if (!redisNodes.isEmpty()) {
            throw new ConfigException(
                    "redis_nodes: set, but flow_store is not redis; set that too, or leave this out");
        }
    }

    /** Whether there are other clusters. */
    boolean hasLegs() {
        return !clusterMap.isEmpty();
    }

    /** The keys of packets between clusters. */
    RouteKeys legKeyRing() {
        return RelayConfigChecks.keys("leg_keys", legKeys);
    }

    LegSettings legSettings() {
        return new LegSettings(
                clusterId,
                (int) legClockTolerance.toSeconds(),
                legTimeout.toNanos(),
                flowTimeout.toNanos());
    }

    /** Sockets of each worker. */
    int sockets() {
        return publicAddresses.size() + (hasLegs() ? 2 : 1);
    }

    /** Packet loops, the default worked out. */
    int workerCount() {
        return workerCount(workers, udp);
    }

    private static int workerCount(int workers, UdpMode udp) {
        if (workers > 0) {
            return workers;
        }
        // One core stays for timers, telemetry and the compiler.
        return udp.isBatched() ? Math.max(1, Runtime.getRuntime().availableProcessors() - 1) : 1;
    }

    UdpPoller openPoller() {
        return udp.open();
    }

    /** The same for a few private clients on loopback. */
    RelayConfig forWarmUp() {
        return new RelayConfig(
                List.of(new HostPort("127.0.0.1", 0)),
                List.of(),
                new HostPort("127.0.0.1", 0),
                1,
                List.of(Cidr.parse("127.0.0.0/8")),
                routeKeys,
                clusterId,
                "",
                legAddress,
                List.of(),
                Map.of(),
                legKeyId,
                legClockTolerance,
                legTimeout,
                Duration.ofHours(1),
                FlowTable.MAX_ADDRESSES_PER_SESSION,
                Math.max(1, recoveriesPerSecond),
                receiveBufferBytes,
                sendBufferBytes,
                batch,
                udp,
                workerCores,
                busyWait,
                busyPollMicros,
                warmUp,
                false,
                healthAddress,
                FlowStoreKind.NONE,
                storeRequestsPerSecond,
                List.of(),
                redisMode,
                redisMaster,
                redisTls,
                redisCaFile,
                redisUsername,
                redisPassword,
                redisSentinelPassword,
                redisDatabase,
                redisTimeout,
                redisKeyPrefix);
    }

    /** How long the store keeps an entry that nobody refreshes: a little longer than a flow. */
    Duration storeTimeToLive() {
        return flowTimeout.multipliedBy(5).dividedBy(4);
    }

    /**
     * Age of an entry that is refreshed. Flows are looked at twice in a flow timeout, so on average
     * this happens at half of what the store would keep it for.
     */
    Duration refreshAfter() {
        return storeTimeToLive().dividedBy(2).minus(flowTimeout.dividedBy(4));
    }

    private RedisSettings redis() {
        return new RedisSettings(
                redisMode,
                redisNodes,
                redisMaster,
                redisTls,
                redisCaFile,
                redisUsername,
                redisPassword,
                redisSentinelPassword,
                redisDatabase,
                redisTimeout,
                redisKeyPrefix);
    }

    FlowStore openStore() {
        return switch (flowStore) {
            case NONE -> FlowStore.none();
            case MEMORY -> FlowStore.inMemory(new StoreSettings(storeTimeToLive()));
            case REDIS -> FlowStore.redis(redis(), new StoreSettings(storeTimeToLive()));
        };
    }

    /** The keys that open route tokens. */
    RouteKeys keys() {
        return RelayConfigChecks.keys("route_keys", routeKeys);
    }
}
