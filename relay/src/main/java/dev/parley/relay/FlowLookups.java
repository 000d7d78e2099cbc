package dev.parley.relay;

import dev.parley.relay.store.StoreAnswer;
import dev.parley.relay.store.StoreLane;
import dev.parley.relay.store.StoredRoute;
import dev.parley.runtime.udp.DatagramBatch;

/**
 * Asks the store for the flows of clients that the table does not know, and keeps what they send
 * meanwhile. It asks at most so often a second, and nothing for a source that nobody knew a moment
 * ago, so strangers cost the store little and one that goes on costs it nothing. Owned by a worker.
 * Hot path: no allocation, no lock, no exception, no log.
 */
final class FlowLookups {
    /** Later than this a datagram of a conversation is worth nothing. */
    static final long HOLD_NANOS = 40_000_000L;

    /** How long a source that nobody knows is not asked for again. */
    static final long UNKNOWN_NANOS = 5_000_000_000L;

    /** The same after a read that failed: the next one may do better. */
    static final long FAILED_NANOS = 200_000_000L;

    /**
     * How long a flow lives that only the store has told: longer than clients take between two
     * checks (RFC 7675 5.1: 4 to 6 seconds), shorter than most things take to become untrue.
     */
    static final long PROVISIONAL_NANOS = 15_000_000_000L;

    private static final long LOOK_NANOS = 10_000_000L;

    private final StoreLane lane;
    private final FlowTable flows;
    private final PublicAddresses publicAddresses;
    private final Destinations destinations;
    private final SeededHash hash;
    private final PerSecond reads;
    private final RelayCounters counters;
    private final HeldDatagrams held;
    private final UnknownSources unknown;
    private boolean nudged;
    private long nextLookNanos;

    FlowLookups(
            StoreLane lane,
            WorkerMemory memory,
            PublicAddresses publicAddresses,
            Destinations destinations,
            SeededHash hash,
            PerSecond reads,
            RelayCounters counters) {
        this.lane = lane;
        this.flows = memory.flows();
        this.held = memory.held();
        this.unknown = memory.unknown();
        this.publicAddresses = publicAddresses;
        this.destinations = destinations;
        this.hash = hash;
        this.reads = reads;
        this.counters = counters;
    }

    /**
     * Takes a datagram, other than STUN, of a client without a flow.
     *
     * @param socket index of the public socket it came in by
     * @return {@link Verdict#UP_HELD}, or why it is dropped
     */
    Verdict hold(DatagramBatch batch, int i, int socket, int publicIndex, long nowNanos) {
        long source = hashOf(batch, i, publicIndex);
        int place = held.find(source);
        if (place == HeldDatagrams.NONE) {
            if (!lane.isAvailable() || unknown.contains(source, nowNanos)) {
                return Verdict.MEDIA_WITHOUT_FLOW;
            }
            place = ask(source, batch, i, socket, publicIndex, nowNanos);
            if (place == HeldDatagrams.NONE) {
                return Verdict.UP_LOOKUP_LIMITED;
            }
        }
        return held.add(place, batch, i, nowNanos) ? Verdict.UP_HELD : Verdict.UP_HELD_TOO_MANY;
    }

    private long hashOf(DatagramBatch batch, int i, int publicIndex) {
        return hash.of(
                batch.addressHigh(i),
                batch.addressLow(i),
                (long) batch.port(i) << 16 | publicIndex);
    }

    private int ask(
            long source, DatagramBatch batch, int i, int socket, int publicIndex, long nowNanos) {
        if (!reads.take(nowNanos)) {
            return HeldDatagrams.NONE;
        }
        int place = held.claim(source, batch, i, socket, publicIndex);
        if (place == HeldDatagrams.NONE) {
            return HeldDatagrams.NONE;
        }
        if (!lane.begin(StoreLane.Kind.READ, place)) {
            held.free(place);
            return HeldDatagrams.NONE;
        }
        lane.client(batch.addressHigh(i), batch.addressLow(i), batch.port(i))
                .publicAddress(
                        publicAddresses.high(publicIndex),
                        publicAddresses.low(publicIndex),
                        publicAddresses.port(publicIndex))
                .commit();
        if (held.size() == 1) {
            nextLookNanos = nowNanos + LOOK_NANOS;
        }
        return place;
    }

    /** A flow was made: datagrams that wait may have waited for it. */
    void nudge() {
        nudged = true;
    }

    /** Whether {@link #settle} has something to do. */
    boolean isDue(long nowNanos) {
        return held.size() > 0 && (nudged || nextLookNanos - nowNanos <= 0 || lane.hasAnswers());
    }

    /** Takes the answers that have come and drops what has waited too long. */
    void settle(long nowNanos) {
        nudged = false;
        nextLookNanos = nowNanos + LOOK_NANOS;
        for (int place = 0; place < held.places(); place++) {
            if (held.isClaimed(place)) {
                settle(place, nowNanos);
            }
        }
    }

    private void settle(int place, long nowNanos) {
        StoreAnswer answer = lane.pollAnswer(place);
        if (answer != null) {
            held.answered(place);
            if (flowOf(place, nowNanos) == FlowTable.NONE) {
                drop(place, learn(place, answer, nowNanos));
            }
        }
        if (held.count(place) > 0 && nowNanos - held.sinceNanos(place) > HOLD_NANOS) {
            drop(place, Verdict.UP_HELD_TOO_LONG);
        }
        freeIfDone(place);
    }

    private int flowOf(int place, long nowNanos) {
        return flows.find(
                held.clientHigh(place),
                held.clientLow(place),
                held.clientPort(place),
                held.publicIndex(place),
                nowNanos);
    }

    /** Makes a flow of the answer; answers why there is none, or UP_RECOVERED when there is. */
    private Verdict learn(int place, StoreAnswer answer, long nowNanos) {
        return switch (answer) {
            case StoredRoute route -> admit(place, route, nowNanos);
            case StoreAnswer.Miss.ABSENT -> forget(place, nowNanos + UNKNOWN_NANOS);
            case StoreAnswer.Miss.UNUSABLE -> {
                var _ = forget(place, nowNanos + UNKNOWN_NANOS);
                yield Verdict.UP_LOOKUP_REFUSED;
            }
            case StoreAnswer.Miss.FAILED -> {
                var _ = forget(place, nowNanos + FAILED_NANOS);
                yield Verdict.UP_LOOKUP_FAILED;
            }
        };
    }

    private Verdict forget(int place, long untilNanos) {
        unknown.add(held.hash(place), untilNanos);
        return Verdict.MEDIA_WITHOUT_FLOW;
    }

    // The store is outside the process: what it says may lead only where a token could.
    private Verdict admit(int place, StoredRoute route, long nowNanos) {
        Verdict refused =
                destinations.check(
                        route.clusterId(), route.transceiverHigh(), route.transceiverLow());
        if (refused != Verdict.UP_BY_FLOW) {
            var _ = forget(place, nowNanos + UNKNOWN_NANOS);
            return Verdict.UP_LOOKUP_REFUSED;
        }
        int flow =
                flows.insert(
                        held.clientHigh(place),
                        held.clientLow(place),
                        held.clientPort(place),
                        held.publicIndex(place),
                        route.sessionHigh(),
                        route.sessionLow(),
                        nowNanos);
        if (flow < 0) {
            return forget(place, nowNanos + FAILED_NANOS);
        }
        flows.point(
                flow,
                route.transceiverHigh(),
                route.transceiverLow(),
                route.transceiverPort(),
                destinations.legTo(route.clusterId()),
                0);
        flows.doubt(flow, nowNanos, PROVISIONAL_NANOS);
        return Verdict.UP_RECOVERED;
    }

    private void drop(int place, Verdict reason) {
        if (reason != Verdict.UP_RECOVERED && held.count(place) > 0) {
            counters.add(reason, held.count(place));
            held.clear(place);
        }
    }

    private void freeIfDone(int place) {
        if (held.count(place) == 0 && !held.isAsked(place)) {
            held.free(place);
        }
    }

    /** The datagrams that wait. */
    HeldDatagrams held() {
        return held;
    }

    /** The first place from here on whose datagrams can go, or {@link HeldDatagrams#NONE}. */
    int nextReady(int from, long nowNanos) {
        for (int place = from; place < held.places(); place++) {
            if (held.isClaimed(place)
                    && held.count(place) > 0
                    && flowOf(place, nowNanos) != FlowTable.NONE) {
                return place;
            }
        }
        return HeldDatagrams.NONE;
    }

    /** The datagrams of a place have gone. */
    void released(int place) {
        held.clear(place);
        freeIfDone(place);
    }
}
