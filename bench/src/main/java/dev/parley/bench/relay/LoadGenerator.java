package dev.parley.bench.relay;

import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.LinuxUdpPoller;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Sends datagrams of many clients to a relay, or straight to the sink, and measures what comes
 * back. One thread runs clients and sink in turn and never waits, so that pacing is exact. Batched
 * like the relay; sending a batch of one client socket costs one call.
 */
final class LoadGenerator implements AutoCloseable {
    static final UdpOptions OPTIONS = new UdpOptions(false, 1 << 22, 1 << 22);

    private static final int BATCH = 64;
    private static final int LONGEST = 1_400;
    private static final long DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long OPEN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LONGEST_LATENCY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final UdpPoller poller = new LinuxUdpPoller();
    private final UdpPort[] clients = new UdpPort[ClientFlows.SOCKETS];
    private final EchoSink sink;
    private final ClientFlows flows;
    private final DatagramBatch out = new DatagramBatch(BATCH, 0, LONGEST);
    private final DatagramBatch in = new DatagramBatch(BATCH, 0, LONGEST);
    private final Histogram latencies = new Histogram(LONGEST_LATENCY_NANOS, 3);
    private final BitSet open = new BitSet();
    private long targetLow;
    private int targetPort;
    private long sent;
    private long received;
    private long firstStamp;
    private int nextSocket;
    private int nextFlow;

    LoadGenerator() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0);
        for (int i = 0; i < clients.length; i++) {
            clients[i] = poller.bind(any, OPTIONS);
        }
        sink = new EchoSink(poller);
        flows = new ClientFlows(sink.address());
    }

    InetSocketAddress sinkAddress() {
        return sink.address();
    }

    /** Sends to a relay, or to the sink itself, from now on. */
    void target(InetSocketAddress address) {
        targetLow = IpAddress.low(address.getAddress());
        targetPort = address.getPort();
        open.clear();
    }

    /** Of so many flows in a hundred that are opened from now on the call's trace is exported. */
    void sampledPercent(int percent) {
        flows.sampledPercent(percent);
    }

    /** Opens the first so many flows, again and again until each has echoed its check. */
    void open(int count) throws IOException {
        long deadline = System.nanoTime() + OPEN_PATIENCE_NANOS;
        while (open.cardinality() < count) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(
                        "only " + open.cardinality() + " of " + count + " flows opened");
            }
            for (int socket = 0; socket < clients.length; socket++) {
                openSocket(socket, count);
            }
        }
    }

    // Gently: what is lost here costs a round more, nothing else.
    private void openSocket(int socket, int count) {
        int filled = 0;
        for (int flow = socket; flow < count; flow += ClientFlows.SOCKETS) {
            if (open.get(flow)) {
                continue;
            }
            flows.check(out, filled, flow, System.nanoTime());
            address(filled++);
            if (filled == BATCH) {
                var _ = clients[socket].send(out, 0, filled);
                filled = 0;
                settle(TimeUnit.MILLISECONDS.toNanos(2));
            }
        }
        var _ = clients[socket].send(out, 0, filled);
        settle(TimeUnit.MILLISECONDS.toNanos(2));
    }

    // Waits for what is still on its way; what has not come after a while is lost.
    private void drain() {
        long end = System.nanoTime() + DRAIN_NANOS;
        while (received < sent && System.nanoTime() - end < 0) {
            receive();
        }
    }

    private void settle(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            receive();
        }
    }

    /** Sends at a rate, paced to the microsecond. */
    LoadFigures pace(int roundTripsPerSecond, int flowCount, int payloadBytes, long nanos) {
        begin();
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanos) {
            long due = (long) ((now - start) * (roundTripsPerSecond / 1e9)) - sent;
            if (due > 0) {
                send((int) Math.min(due, BATCH), flowCount, payloadBytes);
            }
            receive();
            now = System.nanoTime();
        }
        long sentInTime = sent;
        drain();
        return figures(sentInTime, now - start);
    }

    /** Keeps so many datagrams on their way, which is as fast as the slowest part allows. */
    LoadFigures saturate(int window, int flowCount, int payloadBytes, long nanos) {
        begin();
        long start = System.nanoTime();
        long now = start;
        long lastProgress = start;
        long lost = 0;
        while (now - start < nanos) {
            long before = received;
            long room = window - (sent - received - lost);
            if (room >= BATCH) {
                send(BATCH, flowCount, payloadBytes);
            }
            receive();
            now = System.nanoTime();
            if (received != before) {
                lastProgress = now;
            } else if (now - lastProgress > DRAIN_NANOS) {
                // What has not come by now is lost; go on without it.
                lost = sent - received;
                lastProgress = now;
            }
        }
        long receivedInTime = received;
        long sentInTime = sent;
        drain();
        LoadFigures whole = figures(sentInTime, now - start);
        return new LoadFigures(
                whole.sent(), whole.received(), receivedInTime, now - start, whole.latencies());
    }

    /**
     * Sends checks at a rate until one comes back.
     *
     * @return when it came
     */
    long checksUntilFirstEcho(int roundTripsPerSecond, int flowCount, long patienceNanos)
            throws IOException {
        begin();
        long start = System.nanoTime();
        long now = start;
        while (received == 0) {
            if (now - start > patienceNanos) {
                throw new IOException("nothing came back");
            }
            sendChecks(roundTripsPerSecond, flowCount, now - start);
            receive();
            now = System.nanoTime();
        }
        return now;
    }

    /** Sends checks at a rate; those sent before do not count. */
    LoadFigures checks(int roundTripsPerSecond, int flowCount, long nanos) {
        sent = 0;
        received = 0;
        latencies.reset();
        long start = System.nanoTime();
        firstStamp = start;
        long now = start;
        while (now - start < nanos) {
            sendChecks(roundTripsPerSecond, flowCount, now - start);
            receive();
            now = System.nanoTime();
        }
        long sentInTime = sent;
        drain();
        return figures(sentInTime, now - start);
    }

    private void sendChecks(int roundTripsPerSecond, int flowCount, long elapsedNanos) {
        long due = (long) (elapsedNanos * (roundTripsPerSecond / 1e9)) - sent;
        if (due <= 0) {
            return;
        }
        int count = (int) Math.min(due, BATCH);
        int socket = nextSocket;
        nextSocket = (socket + 1) % ClientFlows.SOCKETS;
        int perSocket = flowCount / ClientFlows.SOCKETS;
        for (int i = 0; i < count; i++) {
            int flow =
                    ((nextFlow++ & Integer.MAX_VALUE) % perSocket) * ClientFlows.SOCKETS + socket;
            flows.check(out, i, flow, System.nanoTime());
            address(i);
        }
        sent += clients[socket].send(out, 0, count);
    }

    private void begin() {
        settle(TimeUnit.MILLISECONDS.toNanos(20));
        sent = 0;
        received = 0;
        latencies.reset();
        firstStamp = System.nanoTime();
    }

    private LoadFigures figures(long sentInTime, long nanos) {
        return new LoadFigures(sentInTime, received, received, nanos, latencies.copy());
    }

    private void send(int count, int flowCount, int payloadBytes) {
        long now = System.nanoTime();
        int socket = nextSocket;
        nextSocket = (socket + 1) % Math.min(ClientFlows.SOCKETS, flowCount);
        int perSocket = Math.max(1, flowCount / ClientFlows.SOCKETS);
        for (int i = 0; i < count; i++) {
            int flow =
                    ((nextFlow++ & Integer.MAX_VALUE) % perSocket) * ClientFlows.SOCKETS + socket;
            ClientFlows.media(out, i, flow, payloadBytes, now);
            address(i);
        }
        sent += clients[socket].send(out, 0, count);
    }

    private void address(int slot) {
        out.peer(slot, DatagramBatch.IPV4_MAPPED_HIGH, targetLow, targetPort);
    }

    private void receive() {
        poller.await(0);
        sink.turn();
        for (int socket = 0; socket < clients.length; socket++) {
            int count = clients[socket].receive(in);
            if (count > 0) {
                measure(socket, count);
            }
        }
    }

    private void measure(int socket, int count) {
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int start = in.start(i);
            if (in.bytes().get(start) == 0) {
                open.set(ClientFlows.flow(socket, in.localLow(i)));
            }
            long stamp = in.bytes().getLong(start + ClientFlows.STAMP_AT);
            // Late echoes of an earlier measurement do not count in this one.
            if (stamp - firstStamp >= 0) {
                received++;
                latencies.recordValue(Math.min(now - stamp, LONGEST_LATENCY_NANOS));
            }
        }
    }

    @Override
    public void close() {
        poller.close();
    }
}
