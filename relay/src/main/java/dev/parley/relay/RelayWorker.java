package dev.parley.relay;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPort;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One core's share of the relay. Owns its sockets, flows and counters; one thread only ever runs
 * it. It knows neither that thread nor a clock. Hot path: no allocation, no lock, no exception, no
 * log.
 */
final class RelayWorker {
    /**
     * Longest datagram forwarded; a client's never exceed an Ethernet frame. Not a power of two
     * with headroom, so that the slots' first bytes do not compete for the same cache sets.
     */
    static final int MAX_DATAGRAM_BYTES = 1_900;

    private static final long EXPIRY_INTERVAL_NANOS = 10_000_000L;

    private static final long KERNEL_COUNT_INTERVAL_NANOS = 1_000_000_000L;

    private final UdpPort[] publicPorts;
    private final UdpPort upstreamPort;
    private final @Nullable UdpPort legPort;
    private final Legs legs;
    private final UpwardRoutes upward;
    private final DownwardRoutes downward;
    private final FlowTable flows;
    private final PublicAddresses publicAddresses;
    private final FlowLookups lookups;
    private final FlowWriter writer;
    private final RelayCounters counters;
    private final FlowNotices notices = new FlowNotices();
    private final DatagramBatch batch;
    private final int[] exits;
    private final int[] heldExits = new int[HeldDatagrams.PER_SOURCE];
    private final int slotsPerExpiry;
    private long nextExpiryNanos;
    private long nextKernelCountNanos;

    RelayWorker(
            List<UdpPort> publicPorts,
            UdpPort upstreamPort,
            @Nullable UdpPort legPort,
            Legs legs,
            UpwardRoutes upward,
            DownwardRoutes downward,
            FlowTable flows,
            PublicAddresses publicAddresses,
            FlowLookups lookups,
            FlowWriter writer,
            RelayCounters counters,
            WorkerSettings settings) {
        this.publicPorts = publicPorts.toArray(new UdpPort[0]);
        this.upstreamPort = upstreamPort;
        this.legPort = legPort;
        this.legs = legs;
        this.upward = upward;
        this.downward = downward;
        this.flows = flows;
        this.publicAddresses = publicAddresses;
        this.lookups = lookups;
        this.writer = writer;
        this.counters = counters;
        this.batch = new DatagramBatch(settings.batch(), Legs.HEADROOM, MAX_DATAGRAM_BYTES);
        this.exits = new int[settings.batch()];
        // All slots are looked at within half a flow timeout.
        long turns = Math.max(1, settings.flowTimeoutNanos() / 2 / EXPIRY_INTERVAL_NANOS);
        this.slotsPerExpiry = (int) Math.ceilDiv(flows.capacity(), turns);
        this.nextExpiryNanos = settings.startNanos() + EXPIRY_INTERVAL_NANOS;
        this.nextKernelCountNanos = settings.startNanos() + KERNEL_COUNT_INTERVAL_NANOS;
    }

    /** Opens tokens by these keys from now on; flows that are there stay. Any thread. */
    void useKeys(RouteKeys keys) {
        upward.useKeys(keys);
    }

    /** One turn of the loop: a batch from each socket. Answers the datagrams handled. */
    int runOnce(long nowNanos) {
        int handled = 0;
        // Before what came now, so that a client's datagrams keep their order.
        if (lookups.isDue(nowNanos)) {
            settle(nowNanos);
        }
        // Transceivers first: after a start what they send tells flows, which what clients have
        // sent meanwhile needs.
        if (legPort != null) {
            legs.tick(nowNanos);
        }
        handled += down(nowNanos);
        if (legPort != null) {
            handled += overLegs(legPort, nowNanos);
        }
        for (int socket = 0; socket < publicPorts.length; socket++) {
            handled += up(socket, nowNanos);
        }
        if (lookups.isDue(nowNanos)) {
            settle(nowNanos);
        }
        tick(nowNanos);
        return handled;
    }

    private int up(int socket, long nowNanos) {
        int received = publicPorts[socket].receive(batch);
        if (received > 0) {
            counters.batch(received);
        }
        int forwarded = 0;
        for (int i = 0; i < received; i++) {
            Verdict verdict = upward.route(batch, i, socket, nowNanos);
            if (verdict != Verdict.UP_BY_FLOW) {
                verdict = unusual(verdict, i, socket, nowNanos);
            }
            counters.add(verdict, 1);
            if (verdict.isForwarded()) {
                batch.move(i, forwarded);
                exits[forwarded++] = upward.exit();
            }
        }
        if (lookups.isDue(nowNanos)) {
            settle(nowNanos);
        }
        send(batch, exits, 0, forwarded);
        return received;
    }

    private Verdict unusual(Verdict verdict, int i, int socket, long nowNanos) {
        switch (verdict) {
            case MEDIA_WITHOUT_FLOW -> {
                int publicIndex = upward.usedAddress(batch, i, socket);
                return lookups.hold(batch, i, socket, publicIndex, nowNanos);
            }
            case UP_NEW_FLOW -> {
                shown(verdict, upward.flow(), nowNanos);
                lookups.nudge();
            }
            case UP_SHOWN_FLOW, UP_MOVED_FLOW -> shown(verdict, upward.flow(), nowNanos);
            default -> {
                // Only counted.
            }
        }
        return verdict;
    }

    private void shown(Verdict verdict, int flow, long nowNanos) {
        writer.shown(flow, nowNanos);
        notices.leave(verdict, flows.sessionHigh(flow), flows.sessionLow(flow), nowNanos);
    }

    /** What it tells of its flows. */
    FlowNotices notices() {
        return notices;
    }

    /** Sends what was held for flows that are known by now. */
    private void settle(long nowNanos) {
        lookups.settle(nowNanos);
        HeldDatagrams held = lookups.held();
        int place = lookups.nextReady(0, nowNanos);
        while (place != HeldDatagrams.NONE) {
            release(
                    held.batch(),
                    held.first(place),
                    held.count(place),
                    held.socket(place),
                    nowNanos);
            lookups.released(place);
            place = lookups.nextReady(place + 1, nowNanos);
        }
    }

    private void release(DatagramBatch held, int first, int count, int socket, long nowNanos) {
        int forwarded = 0;
        for (int i = first; i < first + count; i++) {
            Verdict verdict = upward.route(held, i, socket, nowNanos);
            counters.add(isPlain(verdict) ? Verdict.UP_RECOVERED : verdict, 1);
            if (verdict.isForwarded()) {
                held.move(i, first + forwarded);
                heldExits[forwarded++] = upward.exit();
            }
        }
        send(held, heldExits, first, forwarded);
    }

    private static boolean isPlain(Verdict verdict) {
        return verdict == Verdict.UP_BY_FLOW || verdict == Verdict.UP_BY_LEG;
    }

    private int down(long nowNanos) {
        int received = upstreamPort.receive(batch);
        if (received > 0) {
            counters.batch(received);
        }
        int forwarded = 0;
        for (int i = 0; i < received; i++) {
            Verdict verdict = downward.route(batch, i, nowNanos);
            counters.add(verdict, 1);
            if (verdict == Verdict.DOWN_RECOVERED) {
                lookups.nudge();
            }
            if (verdict.isForwarded()) {
                batch.move(i, forwarded);
                exits[forwarded++] = downward.exit();
            }
        }
        send(batch, exits, 0, forwarded);
        return received;
    }

    private int overLegs(UdpPort port, long nowNanos) {
        int received = port.receive(batch);
        if (received > 0) {
            counters.batch(received);
        }
        int forwarded = 0;
        for (int i = 0; i < received; i++) {
            Verdict opened = legs.open(batch, i, nowNanos);
            Verdict verdict =
                    switch (opened) {
                        case LEG_UP ->
                                upward.carried(batch, i, legs.opened(), legs.sender(), nowNanos);
                        case LEG_DOWN -> downward.carried(batch, i, legs.opened(), nowNanos);
                        default -> opened;
                    };
            counters.add(verdict, 1);
            if (verdict == Verdict.DOWN_RECOVERED) {
                lookups.nudge();
            }
            if (verdict.isForwarded()) {
                batch.move(i, forwarded);
                exits[forwarded++] = opened == Verdict.LEG_UP ? upward.exit() : downward.exit();
            }
        }
        send(batch, exits, 0, forwarded);
        legs.flush(port);
        return received;
    }

    // In order, each run of datagrams for the same socket in one go.
    private void send(DatagramBatch from, int[] by, int first, int count) {
        int start = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || by[i] != by[start]) {
                send(by[start], from, first + start, first + i);
                start = i;
            }
        }
    }

    private void send(int exit, DatagramBatch from, int first, int end) {
        switch (exit) {
            case Exits.UPSTREAM -> send(upstreamPort, from, first, end, Verdict.UP_UNSENT);
            case Exits.LEG -> {
                if (legPort != null) {
                    send(legPort, from, first, end, Verdict.LEG_UNSENT);
                }
            }
            default -> send(publicPorts[exit], from, first, end, Verdict.DOWN_UNSENT);
        }
    }

    // A full buffer drops the rest: waiting would delay every other flow.
    private void send(UdpPort port, DatagramBatch from, int first, int end, Verdict unsent) {
        counters.add(unsent, end - first - port.send(from, first, end));
    }

    /** Whether datagrams wait for their flow, which is a matter of milliseconds. */
    boolean isHolding() {
        return lookups.held().size() > 0;
    }

    /** All flows, for the process that follows. */
    ByteBuffer exportFlows(long nowNanos) {
        return FlowTransfer.write(flows, publicAddresses, legs.senders(), nowNanos);
    }

    /** Takes flows of the process before; answers how many. */
    int importFlows(ByteBuffer exported, long nowNanos) {
        return FlowTransfer.read(exported, flows, publicAddresses, legs.senders(), nowNanos);
    }

    /** Others have served the clients for a while: much may be unknown now, as after a start. */
    void resume(long nowNanos) {
        downward.restartRecovery(nowNanos);
    }

    private void tick(long nowNanos) {
        if (nextExpiryNanos - nowNanos <= 0) {
            var _ = flows.expire(nowNanos, slotsPerExpiry, writer);
            counters.flows(flows.size());
            nextExpiryNanos = nowNanos + EXPIRY_INTERVAL_NANOS;
        }
        if (nextKernelCountNanos - nowNanos <= 0) {
            for (UdpPort port : publicPorts) {
                port.countKernelDrops();
            }
            upstreamPort.countKernelDrops();
            if (legPort != null) {
                legPort.countKernelDrops();
            }
            nextKernelCountNanos = nowNanos + KERNEL_COUNT_INTERVAL_NANOS;
        }
    }
}
