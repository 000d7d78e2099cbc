package dev.parley.e2e.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A NAT between a client and the relay that notes when media passes. The client is given its
 * address in place of the relay's; the relay sees one address of the tap for each client.
 */
final class ClientTap implements AutoCloseable {
    private static final int LONGEST = 2_000;

    private final InetSocketAddress relay;
    private final DatagramSocket inside;
    private final Map<SocketAddress, DatagramSocket> outside = new ConcurrentHashMap<>();
    private final List<Long> down = new ArrayList<>();
    private volatile boolean closed;

    ClientTap(InetSocketAddress relay) throws IOException {
        this.relay = relay;
        inside = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        inside.setReceiveBufferSize(1 << 20);
        var _ = Thread.ofPlatform().daemon().name("tap-up").start(this::carryUp);
    }

    int port() {
        return inside.getLocalPort();
    }

    private void carryUp() {
        DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
        while (!closed) {
            try {
                packet.setLength(LONGEST);
                inside.receive(packet);
                DatagramSocket socket =
                        outside.computeIfAbsent(packet.getSocketAddress(), this::open);
                send(socket, new DatagramPacket(packet.getData(), packet.getLength(), relay));
            } catch (PortUnreachableException _) {
                // The relay is away.
            } catch (IOException e) {
                tell(e);
            }
        }
    }

    private static void send(DatagramSocket socket, DatagramPacket packet) throws IOException {
        try {
            socket.send(packet);
        } catch (PortUnreachableException _) {
            // The answer to an earlier packet; this one has not been tried.
            socket.send(packet);
        }
    }

    private DatagramSocket open(SocketAddress client) {
        try {
            DatagramSocket socket = new DatagramSocket();
            socket.connect(relay);
            var _ =
                    Thread.ofPlatform()
                            .daemon()
                            .name("tap-down")
                            .start(() -> carryDown(socket, client));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void carryDown(DatagramSocket socket, SocketAddress client) {
        DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
        while (!closed) {
            try {
                packet.setLength(LONGEST);
                socket.receive(packet);
                note(packet);
                inside.send(new DatagramPacket(packet.getData(), packet.getLength(), client));
            } catch (PortUnreachableException _) {
                // The relay is away.
            } catch (IOException e) {
                tell(e);
            }
        }
    }

    private void tell(IOException e) {
        if (!closed) {
            System.err.println("tap: " + e);
        }
    }

    // RFC 7983: 128 to 191 is RTP or RTCP, whose payload types stand apart (RFC 5761 4).
    private void note(DatagramPacket packet) {
        int first = packet.getData()[0] & 0xFF;
        int type = packet.getData()[1] & 0x7F;
        if (first >= 128 && first < 192 && (type < 64 || type > 95)) {
            synchronized (down) {
                down.add(System.nanoTime());
            }
        }
    }

    /** When the first media packet came down after a moment, or {@code Long.MAX_VALUE}. */
    long firstDownAfter(long nanos) {
        synchronized (down) {
            return down.stream().filter(at -> at - nanos > 0).findFirst().orElse(Long.MAX_VALUE);
        }
    }

    /** When the last media packet came down before a moment. */
    long lastDownBefore(long nanos) {
        synchronized (down) {
            return down.stream().filter(at -> at - nanos <= 0).reduce((a, b) -> b).orElse(nanos);
        }
    }

    /** The longest time without media from the relay between two moments. */
    double longestGapMillis(long fromNanos, long toNanos) {
        long longest = 0;
        long last = fromNanos;
        synchronized (down) {
            for (long at : down) {
                if (at - fromNanos > 0 && at - toNanos < 0) {
                    longest = Math.max(longest, at - last);
                    last = at;
                }
            }
        }
        return Math.max(longest, toNanos - last) / 1e6;
    }

    @Override
    public void close() {
        closed = true;
        inside.close();
        outside.values().forEach(DatagramSocket::close);
    }
}
