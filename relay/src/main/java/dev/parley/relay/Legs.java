package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPort;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A worker's ways to other clusters' relays: seals what goes over one, opens what came over one,
 * and chooses which. Owned by a worker; any thread may give it a new plan or the time. Hot path: no
 * allocation, no lock, no exception, no log.
 *
 * <p>What came over a leg never goes over another: what is opened here goes to transceivers of this
 * cluster or out of a public socket, and nothing of it comes back to be sealed.
 */
final class Legs implements LegHealth.Asker {
    /** Bytes that have to be free in front of a client's datagram. */
    static final int HEADROOM = LegPacket.MAX_HEADER + ClientHeader.LENGTH;

    private static final int PENDING = 64;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long TICK_NANOS = 10_000_000L;
    private static final int NO_WAY = -1;

    private final @Nullable LegPacket packet;
    private final LegSettings settings;
    private final LegSenders senders;
    private final LegHealth health;
    private final DatagramBatch pending;
    private final int[] wayOfSender = new int[LegSenders.MAX];
    private final AtomicInteger lost = new AtomicInteger();
    private int pendingCount;
    private LegPlan plan = LegPlan.EMPTY;
    private int sequence;
    private int sender = LegSenders.NONE;
    private long nextTickNanos;
    private volatile LegPlan newest = LegPlan.EMPTY;
    private volatile long wallAheadNanos;

    private Legs(@Nullable LegPacket packet, LegSettings settings, long startNanos) {
        this.packet = packet;
        this.settings = settings;
        this.senders = new LegSenders(settings.forgetNanos());
        this.health = new LegHealth(settings.timeoutNanos());
        this.pending = new DatagramBatch(packet == null ? 1 : PENDING, 0, LegPacket.PROBE_LENGTH);
        this.nextTickNanos = startNanos;
    }

    /** Between relays that hold the same keys. */
    static Legs of(LegPacket packet, LegSettings settings, long startNanos) {
        return new Legs(packet, settings, startNanos);
    }

    /** A fleet of one cluster. */
    static Legs none() {
        return new Legs(null, LegSettings.NONE, 0);
    }

    /** From now on this plan; any thread may call it. */
    void plan(LegPlan next) {
        newest = next;
    }

    /** How far the wall clock is ahead of the worker's; any thread may call it. */
    void wallAhead(long nanos) {
        wallAheadNanos = nanos;
    }

    /** Ways that do not work; any thread may ask. */
    int lost() {
        return lost.getAcquire();
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
     * Seals a client's datagram, its client header in front, for the cluster of its transceiver and
     * addresses it to one of that cluster's relays; answers why it cannot, or UP_BY_LEG.
     *
     * @param clientHash the same for all datagrams of a client
     */
    Verdict up(
            DatagramBatch batch,
            int i,
            int clusterId,
            long transceiverHigh,
            long transceiverLow,
            int transceiverPort,
            long clientHash,
            long nowNanos) {
        Verdict refused = find(clusterId);
        if (refused != Verdict.UP_BY_FLOW) {
            return refused;
        }
        int way = health.wayTo(gate(plan.find(clusterId), bucket(clientHash)));
        health.used(way, nowNanos);
        seal(
                batch,
                i,
                LegKind.UP,
                clusterId,
                transceiverHigh,
                transceiverLow,
                transceiverPort,
                nowNanos);
        batch.peer(i, plan.high(way), plan.low(way), plan.port(way));
        return Verdict.UP_BY_LEG;
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
     * comes in by and addresses it there; false when it is not known where that is.
     *
     * @param relay by {@link #sender}
     */
    boolean down(DatagramBatch batch, int i, int relay, long nowNanos) {
        if (senders.port(relay) == 0) {
            return false;
        }
        sealDown(batch, i, senders.cluster(relay), nowNanos);
        batch.peer(i, senders.high(relay), senders.low(relay), senders.port(relay));
        return true;
    }

    /**
     * The same for a client that nothing has come from since this relay's start: the map tells who
     * serves the public address that it uses. False when nobody does.
     */
    boolean downByMap(
            DatagramBatch batch,
            int i,
            long publicHigh,
            long publicLow,
            int publicPort,
            long clientHash,
            long nowNanos) {
        int index = plan.findPublic(publicHigh, publicLow, publicPort);
        if (index == LegPlan.NONE) {
            return false;
        }
        int gate = plan.gateOfPublic(index, bucket(clientHash));
        int way = health.wayTo(gate);
        sealDown(batch, i, plan.clusterIdOf(gate), nowNanos);
        batch.peer(i, plan.high(way), plan.low(way), plan.port(way));
        return true;
    }

    /** Whether relays of other clusters, and none of ours, serve a public address. */
    boolean isServedElsewhere(long publicHigh, long publicLow, int publicPort) {
        return plan.findPublic(publicHigh, publicLow, publicPort) != LegPlan.NONE;
    }

    private void sealDown(DatagramBatch batch, int i, int clusterId, long nowNanos) {
        seal(
                batch,
                i,
                LegKind.DOWN,
                clusterId,
                batch.addressHigh(i),
                batch.addressLow(i),
                batch.port(i),
                nowNanos);
    }

    private void seal(
            DatagramBatch batch,
            int i,
            LegKind kind,
            int clusterId,
            long transceiverHigh,
            long transceiverLow,
            int transceiverPort,
            long nowNanos) {
        LegPacket own = packet;
        if (own == null) {
            return;
        }
        int added =
                own.seal(
                        batch.bytes(),
                        batch.start(i),
                        batch.length(i),
                        kind,
                        clusterId,
                        transceiverHigh,
                        transceiverLow,
                        transceiverPort,
                        LegPacket.stamp(secondsAt(nowNanos), sequence++));
        batch.datagram(i, batch.start(i) - added, batch.length(i) + added);
        batch.local(i, 0, 0);
    }

    private int secondsAt(long nowNanos) {
        return (int) Math.floorDiv(nowNanos + wallAheadNanos, NANOS_PER_SECOND);
    }

    // --- what comes in

    /**
     * Opens a datagram of the socket for legs. LEG_UP: a client's, LEG_DOWN: a transceiver's; the
     * slot is then what follows the leg's header. Anything else has been dealt with.
     */
    Verdict open(DatagramBatch batch, int i, long nowNanos) {
        LegPacket own = packet;
        if (own == null) {
            return Verdict.LEG_MALFORMED;
        }
        Verdict refused =
                switch (own.open(batch.bytes(), batch.start(i), batch.length(i))) {
                    case OPENED -> admit(own, nowNanos);
                    case MALFORMED -> Verdict.LEG_MALFORMED;
                    case UNKNOWN_KEY -> Verdict.LEG_UNKNOWN_KEY;
                    case FORGED -> Verdict.LEG_FORGED;
                };
        if (refused != Verdict.LEG_UP) {
            return refused;
        }
        if (senders.isNewest(sender, own.sequence())) {
            senders.seenAt(sender, batch.addressHigh(i), batch.addressLow(i), batch.port(i));
        }
        return switch (own.kind()) {
            case PROBE -> answer(own, batch, i, nowNanos);
            case ANSWER -> learn(own, nowNanos);
            case UP -> carried(own, batch, i, Verdict.LEG_UP);
            case DOWN -> {
                if (wayOfSender[sender] != NO_WAY) {
                    health.heard(wayOfSender[sender], nowNanos);
                }
                yield carried(own, batch, i, Verdict.LEG_DOWN);
            }
        };
    }

    private Verdict admit(LegPacket own, long nowNanos) {
        if (own.toCluster() != settings.clusterId()) {
            return Verdict.LEG_OTHER_CLUSTER;
        }
        if (own.fromCluster() == settings.clusterId()) {
            // One of ours that somebody sends back to us.
            return Verdict.LEG_OWN_CLUSTER;
        }
        if (Math.abs(secondsAt(nowNanos) - own.seconds()) > settings.toleranceSeconds()) {
            return Verdict.LEG_STALE;
        }
        int number = senders.find(own.fromCluster(), own.sender(), own.sequence(), nowNanos);
        if (number == LegSenders.NONE) {
            return Verdict.LEG_TOO_MANY_SENDERS;
        }
        if (senders.port(number) == 0) {
            wayOfSender[number] = NO_WAY;
        }
        sender = number;
        return senders.accept(number, own.sequence(), nowNanos)
                ? Verdict.LEG_UP
                : Verdict.LEG_REPLAYED;
    }

    private static Verdict carried(LegPacket own, DatagramBatch batch, int i, Verdict verdict) {
        batch.datagram(i, own.carriedOffset(), own.carriedLength());
        batch.local(i, 0, 0);
        return verdict;
    }

    private Verdict answer(LegPacket own, DatagramBatch batch, int i, long nowNanos) {
        add(
                own,
                LegKind.ANSWER,
                own.fromCluster(),
                own.nonce(),
                batch.addressHigh(i),
                batch.addressLow(i),
                batch.port(i),
                nowNanos);
        return Verdict.LEG_PROBE;
    }

    private Verdict learn(LegPacket own, long nowNanos) {
        // Only what we have asked ourselves is answered with a way of ours.
        int way = (int) own.nonce();
        if (way >= 0 && way < plan.ways() && own.nonce() >>> 32 == nonceOf(way) >>> 32) {
            wayOfSender[sender] = way;
            health.answered(way, nowNanos);
        }
        return Verdict.LEG_ANSWER;
    }

    // The way, and what tells it from the way of the same number in another plan.
    private long nonceOf(int way) {
        int check = (int) (plan.low(way) * 31 + plan.high(way)) ^ plan.port(way);
        return (long) check << 32 | way;
    }

    /** Who has sent what {@link #open} has opened. */
    int sender() {
        return sender;
    }

    /** What has been opened; valid until the next is. */
    LegPacket opened() {
        LegPacket own = packet;
        if (own == null) {
            throw new IllegalStateException("nothing comes over legs that are not there");
        }
        return own;
    }

    // --- the health of ways

    /** Takes a new plan and looks after ways; at the beginning of each turn. */
    void tick(long nowNanos) {
        if (nextTickNanos - nowNanos > 0) {
            return;
        }
        nextTickNanos = nowNanos + TICK_NANOS;
        LegPlan next = newest;
        if (next != plan) {
            plan = next;
            Arrays.fill(wayOfSender, NO_WAY);
            health.take(next, nowNanos);
        }
        health.tick(nowNanos, this);
        lost.setRelease(health.lost());
    }

    /** Sends probes and answers; at the end of each turn. */
    void flush(UdpPort port) {
        if (pendingCount > 0) {
            var _ = port.send(pending, 0, pendingCount);
            pendingCount = 0;
        }
    }

    @Override
    public void ask(int way, long nowNanos) {
        LegPacket own = packet;
        if (own != null) {
            add(
                    own,
                    LegKind.PROBE,
                    plan.clusterIdOf(plan.gateOf(way)),
                    nonceOf(way),
                    plan.high(way),
                    plan.low(way),
                    plan.port(way),
                    nowNanos);
        }
    }

    // What does not fit is not sent: who asked asks again.
    private void add(
            LegPacket own,
            LegKind kind,
            int clusterId,
            long nonce,
            long high,
            long low,
            int port,
            long nowNanos) {
        if (pendingCount == pending.capacity()) {
            return;
        }
        int start = pending.slotOffset(pendingCount);
        int now = secondsAt(nowNanos);
        long stamp = LegPacket.stamp(now, sequence++);
        own.sealProbe(pending.bytes(), start, kind, clusterId, nonce, stamp);
        pending.datagram(pendingCount, start, LegPacket.PROBE_LENGTH);
        pending.peer(pendingCount, high, low, port);
        pending.local(pendingCount, 0, 0);
        pendingCount++;
    }
}
