package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPort;
import org.jspecify.annotations.Nullable;

/**
 * A worker's ways to other clusters' relays: seals what goes over one, opens what came over one,
 * and chooses which. Owned by a worker; any thread may give it a new plan or the time. Hot path: no
 * allocation, no lock, no exception, no log.
 *
 * <p>What came over a leg never goes over another: what is opened here goes to transceivers of this
 * cluster or out of a public socket, and nothing of it comes back to be sealed. And nothing is sent
 * to an address because a packet came from it: all goes to addresses of the map.
 */
final class Legs {
    /** Bytes that have to be free in front of a client's datagram. */
    static final int HEADROOM = LegPacket.MAX_HEADER + ClientHeader.LENGTH;

    /** In place of a sender: the map tells which relay a client comes in by. */
    static final int BY_MAP = LegSenders.MAX;

    private static final long TICK_NANOS = 10_000_000L;

    /** Senders are remembered for so many starts of each gate. */
    private static final int STARTS_PER_GATE = 2;

    private static final int MORE_SENDERS = 64;

    /** What the map says, and where on it this worker is. */
    private record Place(LegPlan plan, LegNames names) {}

    /** What is there only where there are other clusters. */
    private record Parts(LegPacket packet, LegSeal seal, LegProbes probes) {}

    private final @Nullable Parts parts;
    private final LegSettings settings;
    private final LegSenders senders;
    private final LegHealth health;
    private LegPlan plan = LegPlan.EMPTY;
    private LegNames names = LegNames.NONE;
    private int sender = LegSenders.NONE;
    private long nextTickNanos;
    private volatile Place newest = new Place(plan, names);
    private volatile int lost;

    private Legs(@Nullable Parts parts, LegSettings settings, long startNanos) {
        this.parts = parts;
        this.settings = settings;
        this.senders = new LegSenders(settings.forgetNanos());
        this.health = new LegHealth(settings.timeoutNanos());
        this.nextTickNanos = startNanos;
    }

    /** Between relays that hold the same keys. */
    static Legs of(LegPacket packet, LegSettings settings, long startNanos) {
        LegSeal seal = new LegSeal(packet);
        return new Legs(new Parts(packet, seal, new LegProbes(seal)), settings, startNanos);
    }

    /** A fleet of one cluster. */
    static Legs none() {
        return new Legs(null, LegSettings.NONE, 0);
    }

    /** From now on this plan, and these names; any thread may call it. */
    void plan(LegPlan next, LegNames nextNames) {
        newest = new Place(next, nextNames);
    }

    /** How far the wall clock is ahead of the worker's; any thread may call it. */
    void wallAhead(long nanos) {
        if (parts != null) {
            parts.seal().wallAhead(nanos);
        }
    }

    /** Ways that do not work; any thread may ask. */
    int lost() {
        return lost;
    }

    // --- what goes out

    /** Answers why nothing can go to a cluster, or UP_BY_FLOW when it can. */
    Verdict find(int clusterId) {
        int cluster = plan.find(clusterId);
        if (cluster == LegPlan.NONE || plan.gates(cluster) == 0) {
            return Verdict.TOKEN_OTHER_CLUSTER;
        }
        return plan.isDown(cluster) ? Verdict.TOKEN_CLUSTER_DOWN : Verdict.UP_BY_FLOW;
    }

    /**
     * Seals a client's datagram, its client header in front and its transceiver for its peer, for
     * the cluster of that transceiver and addresses it to one of that cluster's relays; answers why
     * it cannot, or UP_BY_LEG.
     *
     * @param kind UP or UP_UNCACHED
     * @param clientHash the same for all datagrams of a client
     */
    Verdict up(
            DatagramBatch batch,
            int i,
            LegKind kind,
            int clusterId,
            long clientHash,
            long nowNanos) {
        Verdict refused = find(clusterId);
        if (refused != Verdict.UP_BY_FLOW) {
            return refused;
        }
        int way = health.wayTo(gate(plan.find(clusterId), bucket(clientHash)));
        health.used(way, nowNanos);
        return seal(batch, i, kind, way, nowNanos) ? Verdict.UP_BY_LEG : Verdict.LEG_TOO_LONG;
    }

    private static int bucket(long clientHash) {
        return (int) (clientHash >>> 24) & (LegPlan.BUCKETS - 1);
    }

    // The first gate of the bucket's order that works; its first one when none does, as it may be
    // our knowledge that is wrong.
    private int gate(int cluster, int bucket) {
        int gates = plan.gates(cluster);
        for (int preference = 0; preference < gates; preference++) {
            int gate = plan.gate(cluster, bucket, preference);
            if (!health.isClosed(gate)) {
                return gate;
            }
        }
        return plan.gate(cluster, bucket, 0);
    }

    /**
     * Seals a transceiver's datagram, its client header in front, for the relay that its client
     * comes in by and addresses it there.
     *
     * @param relay by {@link #sender}, or {@link #BY_MAP}
     * @return DOWN_BY_LEG; DOWN_UNKNOWN_RELAY when it is not known where that is, and the datagram
     *     is as it was
     */
    Verdict down(DatagramBatch batch, int i, int relay, long nowNanos) {
        if (relay == BY_MAP || senders.gate(relay) == LegSenders.NONE) {
            return Verdict.DOWN_UNKNOWN_RELAY;
        }
        int way = wayTo(relay, nowNanos);
        return seal(batch, i, LegKind.DOWN, way, nowNanos)
                ? Verdict.DOWN_BY_LEG
                : Verdict.LEG_TOO_LONG;
    }

    // The answers take the way that the questions take: whoever asks looks after it.
    private int wayTo(int relay, long nowNanos) {
        int way = senders.way(relay);
        if (way != LegSenders.NONE) {
            return way;
        }
        int best = health.wayTo(senders.gate(relay));
        health.used(best, nowNanos);
        return best;
    }

    /**
     * The same where it is not known which relay a client comes in by: the map tells who serves the
     * public address that it uses.
     *
     * @return DOWN_BY_MAP, or DOWN_UNKNOWN_RELAY when nobody does
     */
    Verdict downByMap(
            DatagramBatch batch,
            int i,
            long publicHigh,
            long publicLow,
            int publicPort,
            long clientHash,
            long nowNanos) {
        int index = plan.findPublic(publicHigh, publicLow, publicPort);
        if (index == LegPlan.NONE) {
            return Verdict.DOWN_UNKNOWN_RELAY;
        }
        int way = health.wayTo(openGateOfPublic(index, bucket(clientHash)));
        return seal(batch, i, LegKind.DOWN_BY_MAP, way, nowNanos)
                ? Verdict.DOWN_BY_MAP
                : Verdict.LEG_TOO_LONG;
    }

    private int openGateOfPublic(int index, int bucket) {
        int gates = plan.gatesOfPublic(index);
        for (int preference = 0; preference < gates; preference++) {
            int gate = plan.gateOfPublic(index, bucket + preference);
            if (!health.isClosed(gate)) {
                return gate;
            }
        }
        return plan.gateOfPublic(index, bucket);
    }

    /** Whether relays of other clusters, and none of ours, serve a public address. */
    boolean isServedElsewhere(long publicHigh, long publicLow, int publicPort) {
        return plan.findPublic(publicHigh, publicLow, publicPort) != LegPlan.NONE;
    }

    private boolean seal(DatagramBatch batch, int i, LegKind kind, int way, long nowNanos) {
        return parts != null && parts.seal().seal(batch, i, kind, plan, way, nowNanos);
    }

    // --- what comes in

    /**
     * Opens a datagram of the socket for legs. LEG_UP: a client's, LEG_DOWN: a transceiver's; the
     * slot is then what follows the leg's header. Anything else has been dealt with.
     */
    Verdict open(DatagramBatch batch, int i, long nowNanos) {
        Parts own = parts;
        if (own == null) {
            return Verdict.LEG_MALFORMED;
        }
        LegPacket packet = own.packet();
        Verdict refused =
                switch (packet.open(batch.bytes(), batch.start(i), batch.length(i))) {
                    case OPENED -> admit(own, nowNanos);
                    case MALFORMED -> Verdict.LEG_MALFORMED;
                    case UNKNOWN_KEY -> Verdict.LEG_UNKNOWN_KEY;
                    case FORGED -> Verdict.LEG_FORGED;
                };
        if (refused != Verdict.LEG_UP) {
            return refused;
        }
        place(packet, batch, i);
        return switch (packet.kind()) {
            case PROBE -> answer(own, nowNanos);
            case ANSWER -> learn(own, nowNanos);
            case UP, UP_UNCACHED -> carried(packet, batch, i, Verdict.LEG_UP);
            case DOWN, DOWN_BY_MAP -> {
                health.heard(senders.askedWay(sender), nowNanos);
                yield carried(packet, batch, i, Verdict.LEG_DOWN);
            }
        };
    }

    private Verdict admit(Parts own, long nowNanos) {
        LegPacket packet = own.packet();
        if (packet.toCluster() != settings.clusterId()) {
            return Verdict.LEG_OTHER_CLUSTER;
        }
        if (packet.fromCluster() == settings.clusterId()) {
            // One of ours that somebody sends back to us.
            return Verdict.LEG_OWN_CLUSTER;
        }
        if (!names.has(packet.toGate())) {
            return Verdict.LEG_OTHER_RELAY;
        }
        int ago = own.seal().secondsAt(nowNanos) - packet.seconds();
        if (ago > settings.toleranceSeconds() || ago < -settings.toleranceSeconds()) {
            return Verdict.LEG_STALE;
        }
        int number =
                senders.find(packet.fromCluster(), packet.sender(), packet.sequence(), nowNanos);
        if (number == LegSenders.NONE) {
            return Verdict.LEG_TOO_MANY_SENDERS;
        }
        sender = number;
        return senders.accept(number, packet.sequence(), nowNanos)
                ? Verdict.LEG_UP
                : Verdict.LEG_REPLAYED;
    }

    // The packet's tag covers which gate its sender is, and the map tells where that is. What IP
    // says of its source only chooses among the ways of that gate.
    private void place(LegPacket packet, DatagramBatch batch, int i) {
        if (senders.gateName(sender) != packet.fromGate()) {
            int gate = plan.findGate(packet.fromCluster(), packet.fromGate());
            senders.at(sender, packet.fromGate(), gate);
        }
        int gate = senders.gate(sender);
        if (gate == LegSenders.NONE || !senders.isNewest(sender, packet.sequence())) {
            return;
        }
        int way = senders.way(sender);
        long high = batch.addressHigh(i);
        long low = batch.addressLow(i);
        int port = batch.port(i);
        if (way == LegSenders.NONE || !plan.isAt(way, high, low, port)) {
            senders.cameBy(sender, plan.wayOfGate(gate, high, low, port));
        }
    }

    private static Verdict carried(LegPacket packet, DatagramBatch batch, int i, Verdict verdict) {
        batch.datagram(i, packet.carriedOffset(), packet.carriedLength());
        batch.local(i, 0, 0);
        return verdict;
    }

    private Verdict answer(Parts own, long nowNanos) {
        if (senders.gate(sender) == LegSenders.NONE) {
            return Verdict.LEG_UNKNOWN_RELAY;
        }
        int way = senders.way(sender);
        int back = way == LegSenders.NONE ? health.wayTo(senders.gate(sender)) : way;
        var _ = own.probes().answer(back, own.packet().nonce(), nowNanos);
        return Verdict.LEG_PROBE;
    }

    private Verdict learn(Parts own, long nowNanos) {
        // Only what we have asked ourselves is answered with a way of ours.
        int way = own.probes().askedWay(own.packet().nonce());
        if (way != LegPlan.NONE) {
            senders.answeredAt(sender, way);
            health.answered(way, nowNanos);
        }
        return Verdict.LEG_ANSWER;
    }

    /** Who has sent what {@link #open} has opened. */
    int sender() {
        return sender;
    }

    /** What has been opened; valid until the next is. */
    LegPacket opened() {
        if (parts == null) {
            throw new IllegalStateException("nothing comes over legs that are not there");
        }
        return parts.packet();
    }

    // --- the health of ways

    /** Takes a new plan and looks after ways; at the beginning of each turn. */
    void tick(long nowNanos) {
        Parts own = parts;
        if (own == null || nextTickNanos - nowNanos > 0) {
            return;
        }
        nextTickNanos = nowNanos + TICK_NANOS;
        Place next = newest;
        if (next.plan() != plan || next.names() != names) {
            take(own, next, nowNanos);
        }
        health.tick(nowNanos, own.probes());
        lost = health.lost();
    }

    private void take(Parts own, Place next, long nowNanos) {
        plan = next.plan();
        names = next.names();
        own.seal().ownGate(names.own());
        own.probes().plan(plan);
        senders.room(STARTS_PER_GATE * plan.gates() + MORE_SENDERS);
        for (int number = 0; number < senders.count(); number++) {
            int name = senders.gateName(number);
            senders.at(number, name, plan.findGate(senders.cluster(number), name));
            senders.answeredAt(number, LegSenders.NONE);
        }
        health.take(plan, nowNanos);
    }

    /** Sends probes and answers; at the end of each turn. */
    void flush(UdpPort port) {
        if (parts != null) {
            parts.probes().flush(port);
        }
    }

    /** Who has sent something; for the process that follows. */
    LegSenders senders() {
        return senders;
    }
}
