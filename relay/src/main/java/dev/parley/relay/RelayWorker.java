package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPort;
import java.util.List;

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
    private final UpwardRoutes upward;
    private final DownwardRoutes downward;
    private final FlowTable flows;
    private final RelayCounters counters;
    private final DatagramBatch batch;
    private final int[] sockets;
    private final int slotsPerExpiry;
    private long nextExpiryNanos;
    private long nextKernelCountNanos;

    RelayWorker(
            List<UdpPort> publicPorts,
            UdpPort upstreamPort,
            UpwardRoutes upward,
            DownwardRoutes downward,
            FlowTable flows,
            RelayCounters counters,
            WorkerSettings settings) {
        this.publicPorts = publicPorts.toArray(new UdpPort[0]);
        this.upstreamPort = upstreamPort;
        this.upward = upward;
        this.downward = downward;
        this.flows = flows;
        this.counters = counters;
        this.batch = new DatagramBatch(settings.batch(), ClientHeader.LENGTH, MAX_DATAGRAM_BYTES);
        this.sockets = new int[settings.batch()];
        // All slots are looked at within half a flow timeout.
        long turns = Math.max(1, settings.flowTimeoutNanos() / 2 / EXPIRY_INTERVAL_NANOS);
        this.slotsPerExpiry = (int) Math.ceilDiv(flows.capacity(), turns);
        this.nextExpiryNanos = settings.startNanos() + EXPIRY_INTERVAL_NANOS;
        this.nextKernelCountNanos = settings.startNanos() + KERNEL_COUNT_INTERVAL_NANOS;
    }

    /** One turn of the loop: a batch from each socket. Answers the datagrams handled. */
    int runOnce(long nowNanos) {
        int handled = 0;
        for (int socket = 0; socket < publicPorts.length; socket++) {
            handled += up(socket, nowNanos);
        }
        handled += down(nowNanos);
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
            counters.add(verdict, 1);
            if (verdict.isForwarded()) {
                batch.move(i, forwarded++);
            }
        }
        send(upstreamPort, 0, forwarded, Verdict.UP_UNSENT);
        return received;
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
            if (verdict.isForwarded()) {
                batch.move(i, forwarded);
                sockets[forwarded++] = downward.socket();
            }
        }
        sendBySocket(forwarded);
        return received;
    }

    // In order, each run of datagrams for the same public socket in one go.
    private void sendBySocket(int count) {
        int from = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || sockets[i] != sockets[from]) {
                send(publicPorts[sockets[from]], from, i, Verdict.DOWN_UNSENT);
                from = i;
            }
        }
    }

    // A full buffer drops the rest: waiting would delay every other flow.
    private void send(UdpPort port, int from, int to, Verdict unsent) {
        if (from < to) {
            counters.add(unsent, to - from - port.send(batch, from, to));
        }
    }

    private void tick(long nowNanos) {
        if (nextExpiryNanos - nowNanos <= 0) {
            var _ = flows.expire(nowNanos, slotsPerExpiry);
            counters.flows(flows.size());
            nextExpiryNanos = nowNanos + EXPIRY_INTERVAL_NANOS;
        }
        if (nextKernelCountNanos - nowNanos <= 0) {
            for (UdpPort port : publicPorts) {
                port.countKernelDrops();
            }
            upstreamPort.countKernelDrops();
            nextKernelCountNanos = nowNanos + KERNEL_COUNT_INTERVAL_NANOS;
        }
    }
}
