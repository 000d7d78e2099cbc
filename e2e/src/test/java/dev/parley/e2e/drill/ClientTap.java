package dev.parley.e2e.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
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
    private final MediaTimes up = new MediaTimes();
    private final MediaTimes down = new MediaTimes();
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
                up.note(packet.getData());
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
                down.note(packet.getData());
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

    /** Media that was sent on to the relay, whether it was there or not. */
    MediaTimes up() {
        return up;
    }

    /** Media that came from the relay. */
    MediaTimes down() {
        return down;
    }

    @Override
    public void close() {
        closed = true;
        inside.close();
        outside.values().forEach(DatagramSocket::close);
    }
}
