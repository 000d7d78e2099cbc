package dev.parley.relay;

import dev.parley.relay.store.FakeStore;
import dev.parley.relay.store.StoreLane;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.udp.UdpPort;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A worker between fake sockets with a clock that the test turns. */
final class RelayRig {
    static final Endpoint VIP = Endpoint.of("203.0.113.10", 3478);
    static final Endpoint OTHER_VIP = Endpoint.of("2001:db8::10", 3478);
    static final Endpoint WILDCARD = Endpoint.of("0.0.0.0", 443);
    static final Endpoint TRANSCEIVER = Endpoint.of("10.1.2.3", 5000);
    static final Endpoint CLIENT = Endpoint.of("198.51.100.7", 40_000);
    static final long TIMEOUT_NANOS = Duration.ofSeconds(30).toNanos();
    static final int MAX_FLOWS = 64;
    static final int RECOVERIES_PER_SECOND = 2;
    static final int STORE_REQUESTS_PER_SECOND = 20;
    static final int BATCH = 8;

    final FakePort vip;
    final FakePort otherVip = new FakePort(OTHER_VIP);
    final FakePort wildcard = new FakePort(WILDCARD);
    final FakePort upstream = new FakePort(Endpoint.of("10.0.0.1", 3479));
    final FakePort leg = new FakePort(Endpoint.of("10.0.0.1", 3490));
    final Legs legs;
    final RelayCounters counters = new RelayCounters();
    final FlowTable flows;

    final FakeStore store = new FakeStore();

    /** Starts below zero: no arithmetic may depend on the sign of nanoTime. */
    long now = -TIMEOUT_NANOS / 2;

    private final RelayWorker worker;

    RelayRig() {
        this(0, VIP, Legs.none());
    }

    /** One of a fleet of several clusters. */
    RelayRig(int cluster, Endpoint vipAddress, Legs legs) {
        this.vip = new FakePort(vipAddress);
        this.legs = legs;
        SeededHash hash = new SeededHash(new SplittableRandom(1));
        flows = new FlowTable(hash, MAX_FLOWS, TIMEOUT_NANOS);
        List<UdpPort> publicPorts = List.of(vip, otherVip, wildcard);
        PublicAddresses publics =
                new PublicAddresses(publicPorts.stream().map(UdpPort::localAddress).toList());
        AddressRanges transceivers =
                new AddressRanges(List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00::/8")));
        Destinations destinations = new Destinations(transceivers, cluster, legs);
        worker =
                new RelayWorker(
                        publicPorts,
                        upstream,
                        leg,
                        legs,
                        new UpwardRoutes(flows, publics, Checks.KEYS, destinations, hash, legs),
                        new DownwardRoutes(
                                flows,
                                publics,
                                destinations,
                                legs,
                                hash,
                                new RecoveryBudget(RECOVERIES_PER_SECOND, now, TIMEOUT_NANOS)),
                        flows,
                        publics,
                        lookups(store.lane(), flows, publics, destinations, hash, counters, now),
                        writer(store.lane(), flows, publics, now),
                        counters,
                        new WorkerSettings(BATCH, TIMEOUT_NANOS, now));
    }

    /** Keys that were read again. */
    void useKeys(RouteKeys keys) {
        worker.useKeys(keys);
    }

    /** A worker with one public socket, whose recovery and timers begin at 0. */
    static RelayWorker worker(
            UdpPort vip, UdpPort upstream, StoreLane lane, RelayCounters counters) {
        return worker(vip, upstream, null, Legs.none(), lane, counters);
    }

    /** The same with ways to other clusters. */
    static RelayWorker worker(
            UdpPort vip,
            UdpPort upstream,
            @Nullable UdpPort leg,
            Legs legs,
            StoreLane lane,
            RelayCounters counters) {
        SeededHash hash = new SeededHash(new SplittableRandom(1));
        FlowTable flows = new FlowTable(hash, MAX_FLOWS, TIMEOUT_NANOS);
        PublicAddresses publics = new PublicAddresses(List.of(vip.localAddress()));
        AddressRanges transceivers = new AddressRanges(List.of(Cidr.parse("10.0.0.0/8")));
        Destinations destinations = new Destinations(transceivers, 0, legs);
        return new RelayWorker(
                List.of(vip),
                upstream,
                leg,
                legs,
                new UpwardRoutes(flows, publics, Checks.KEYS, destinations, hash, legs),
                new DownwardRoutes(
                        flows,
                        publics,
                        destinations,
                        legs,
                        hash,
                        new RecoveryBudget(0, 0, TIMEOUT_NANOS)),
                flows,
                publics,
                lookups(lane, flows, publics, destinations, hash, counters, 0),
                writer(lane, flows, publics, 0),
                counters,
                new WorkerSettings(BATCH, TIMEOUT_NANOS, 0));
    }

    private static FlowLookups lookups(
            StoreLane lane,
            FlowTable flows,
            PublicAddresses publics,
            Destinations destinations,
            SeededHash hash,
            RelayCounters counters,
            long now) {
        return new FlowLookups(
                lane,
                new WorkerMemory(flows, new HeldDatagrams(), new UnknownSources()),
                publics,
                destinations,
                hash,
                new PerSecond(STORE_REQUESTS_PER_SECOND, now),
                counters);
    }

    private static FlowWriter writer(
            StoreLane lane, FlowTable flows, PublicAddresses publics, long now) {
        return new FlowWriter(
                lane,
                flows,
                publics,
                0,
                TIMEOUT_NANOS * 3 / 8,
                new PerSecond(STORE_REQUESTS_PER_SECOND, now));
    }

    int run() {
        return worker.runOnce(now);
    }

    /** It may take flows up again, as after a start. */
    void restartRecovery() {
        worker.resume(now);
    }

    ByteBuffer exportFlows() {
        return worker.exportFlows(now);
    }

    int importFlows(ByteBuffer exported) {
        return worker.importFlows(exported, now);
    }

    /** Lets time pass in turns of the loop, as idle loops do. */
    void pass(Duration time) {
        long end = now + time.toNanos();
        while (end - now > 0) {
            now += Math.min(end - now, Duration.ofMillis(100).toNanos());
            var _ = run();
        }
    }

    /** Sends from a client to the first public address, and runs a turn. */
    List<FakePort.Datagram> up(Endpoint client, byte[] bytes) {
        vip.arrive(client, bytes);
        var _ = run();
        return upstream.takeSent();
    }

    /** Sends from a transceiver, and runs a turn. */
    void down(Endpoint transceiver, byte[] bytes) {
        upstream.arrive(transceiver, bytes);
        var _ = run();
    }

    static byte[] headed(Endpoint client, Endpoint proxy, byte[] payload) {
        ByteBuffer out = ByteBuffer.allocate(ClientHeader.LENGTH + payload.length);
        ClientHeader.write(
                out,
                0,
                client.high(),
                client.low(),
                client.port(),
                proxy.high(),
                proxy.low(),
                proxy.port());
        return out.put(ClientHeader.LENGTH, payload).array();
    }
}
