package dev.parley.e2e.drill;

import dev.parley.rtc.route.ClientHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * Clients that send a packet every 20 ms, one after the other, through a relay to a transceiver
 * that sends each of them one as often, whatever comes from it: like so many calls. Both ends are
 * this process, so the time of each packet is known. Owned by one drill.
 */
final class SteadyFlows implements AutoCloseable {
    static final int CLIENTS = 10;

    private static final long STEP_NANOS = 20_000_000L / CLIENTS;
    private static final int MEDIA_BYTES = 160;
    private static final int LONGEST = 2_000;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    /** One client, and what the transceiver knows of it. */
    private static final class Flow {
        final DatagramChannel client = open();
        final int port = client.socket().getLocalPort();
        final PacketLog up = new PacketLog();
        final PacketLog down = new PacketLog();
        volatile byte[] header = {};
    }

    private final InetSocketAddress relay;
    private final DatagramChannel transceiver = open();
    private final List<Flow> flows = new ArrayList<>();
    private volatile SocketAddress upstream;
    private volatile boolean closed;

    /** Makes the flows and starts sending. */
    SteadyFlows(InetSocketAddress relay) throws IOException {
        this.relay = relay;
        this.upstream = relay;
        for (int i = 0; i < CLIENTS; i++) {
            Flow flow = new Flow();
            flows.add(flow);
            start("steady-client", () -> listen(flow));
        }
        start("steady-transceiver", this::accept);
        establish();
        start("steady-sender", this::send);
    }

    private static DatagramChannel open() {
        try {
            DatagramChannel channel = DatagramChannel.open();
            return channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Body {
        void run() throws IOException;
    }

    private void start(String name, Body body) {
        var _ =
                Thread.ofPlatform()
                        .daemon()
                        .name(name)
                        .start(
                                () -> {
                                    try {
                                        body.run();
                                    } catch (ClosedChannelException _) {
                                        // The end.
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                });
    }

    private void establish() throws IOException {
        RouteChecks checks = new RouteChecks((InetSocketAddress) transceiver.getLocalAddress());
        for (int i = 0; i < CLIENTS; i++) {
            Flow flow = flows.get(i);
            flow.client.send(checks.check(i), relay);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (flow.header.length == 0) {
                if (deadline - System.nanoTime() <= 0) {
                    throw new IOException("the relay does not forward a check");
                }
                LockSupport.parkNanos(100_000);
            }
        }
    }

    private void send() throws IOException {
        ByteBuffer packet = ByteBuffer.allocateDirect(LONGEST);
        long due = System.nanoTime();
        for (int step = 0; !closed; step++) {
            Flow up = flows.get(step % CLIENTS);
            flowing(packet.clear(), up.up);
            up.client.send(packet.flip(), relay);
            // Half a period away from the client's own.
            Flow down = flows.get((step + CLIENTS / 2) % CLIENTS);
            flowing(packet.clear().put(down.header), down.down);
            transceiver.send(packet.flip(), upstream);
            due += STEP_NANOS;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }

    private static void flowing(ByteBuffer packet, PacketLog log) {
        int end = packet.position() + MEDIA_BYTES;
        packet.put((byte) 0x80).put((byte) 111);
        packet.position(end).putInt(log.sent());
    }

    private void accept() throws IOException {
        ByteBuffer packet = ByteBuffer.allocate(LONGEST);
        ClientHeader header = new ClientHeader();
        while (!closed) {
            SocketAddress from = transceiver.receive(packet.clear());
            if (!header.wrap(packet.flip(), 0, packet.limit())) {
                continue;
            }
            upstream = from;
            Flow flow = flowOf(header.clientPort());
            if (header.payloadLength() == MEDIA_BYTES + Integer.BYTES) {
                flow.up.arrived(packet.getInt(packet.limit() - Integer.BYTES));
            } else {
                byte[] bytes = new byte[ClientHeader.LENGTH];
                packet.get(0, bytes);
                flow.header = bytes;
            }
        }
    }

    private Flow flowOf(int port) {
        return flows.stream().filter(flow -> flow.port == port).findFirst().orElseThrow();
    }

    private void listen(Flow flow) throws IOException {
        ByteBuffer packet = ByteBuffer.allocate(LONGEST);
        while (!closed) {
            var _ = flow.client.receive(packet.clear());
            flow.down.arrived(packet.flip().getInt(packet.limit() - Integer.BYTES));
        }
    }

    /** From a moment until every client's next packet has come up, in milliseconds. */
    double slowestUpMillis(long nanos) {
        return slowest(flow -> flow.up.firstArrivalAfter(nanos) - nanos);
    }

    /** From a moment until every client has its next packet, in milliseconds. */
    double slowestDownMillis(long nanos) {
        return slowest(flow -> flow.down.firstArrivalAfter(nanos) - nanos);
    }

    /** From each client's first packet after a moment until it has its next one. */
    double slowestAnswerMillis(long nanos) {
        return slowest(flow -> flow.down.firstArrivalAfter(nanos) - flow.up.firstSentAfter(nanos));
    }

    private double slowest(ToLongFunction<Flow> time) {
        return flows.stream().mapToLong(time).max().orElseThrow() / 1e6;
    }

    /** Packets that the client worst off has lost on the way up, of those sent between moments. */
    int mostLostUp(long fromNanos, long toNanos) {
        return most(flow -> flow.up.lost(fromNanos, toNanos));
    }

    /** Packets that the client worst off has lost on the way down. */
    int mostLostDown(long fromNanos, long toNanos) {
        return most(flow -> flow.down.lost(fromNanos, toNanos));
    }

    private int most(ToIntFunction<Flow> lost) {
        return flows.stream().mapToInt(lost).max().orElseThrow();
    }

    @Override
    public void close() {
        closed = true;
        try {
            transceiver.close();
            for (Flow flow : flows) {
                flow.client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
