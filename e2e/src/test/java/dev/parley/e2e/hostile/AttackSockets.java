package dev.parley.e2e.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Many addresses of loopback to send from. To whoever receives it, a datagram from one of them is
 * one whose source somebody has forged: so what comes back here is what a victim would get. Owned
 * by the attack's thread.
 */
final class AttackSockets implements AutoCloseable {
    private static final int ADDRESSES = 100;
    private static final int BUFFER_BYTES = 1 << 20;

    private final List<DatagramChannel> channels = new ArrayList<>();
    private final ByteBuffer in = ByteBuffer.allocateDirect(65_536);
    private long sent;
    private long unsent;
    private long receivedBytes;
    private int next;

    AttackSockets() throws IOException {
        for (int i = 0; i < ADDRESSES; i++) {
            DatagramChannel channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
            channel.bind(new InetSocketAddress("127.0.1." + (i + 1), 0));
            channel.configureBlocking(false);
            channels.add(channel);
        }
    }

    /** Writes the next datagram. */
    @FunctionalInterface
    interface Writer {
        void write(ByteBuffer into);
    }

    /** Sends so many a second, each from the next address, until told to stop. */
    void flood(SocketAddress to, int perSecond, Writer writer, BooleanSupplier going)
            throws IOException, InterruptedException {
        ByteBuffer datagram = ByteBuffer.allocateDirect(65_536);
        Pace.hold(
                perSecond,
                going,
                () -> {
                    datagram.clear();
                    writer.write(datagram);
                    send(datagram.flip(), to);
                },
                this::look);
    }

    /** Sends one from the next address. */
    void send(ByteBuffer datagram, SocketAddress to) throws IOException {
        next = (next + 1) % channels.size();
        try {
            if (channels.get(next).send(datagram, to) > 0 || datagram.limit() == 0) {
                sent++;
            } else {
                unsent++;
            }
        } catch (IOException e) {
            // Too long for this machine's sockets.
            unsent++;
        }
    }

    /** Counts what has come back. */
    private void look() throws IOException {
        for (DatagramChannel channel : channels) {
            while (channel.receive(in.clear()) != null) {
                receivedBytes += in.position();
            }
        }
    }

    InetSocketAddress anAddress() throws IOException {
        return (InetSocketAddress) channels.getFirst().getLocalAddress();
    }

    /** Datagrams that left. */
    long sent() {
        return sent;
    }

    /** Datagrams that this machine did not take. */
    long unsent() {
        return unsent;
    }

    /** Bytes that came back so far. */
    long receivedBytes() throws IOException {
        look();
        return receivedBytes;
    }

    @Override
    public void close() {
        for (DatagramChannel channel : channels) {
            try {
                channel.close();
            } catch (IOException _) {
                // It is over.
            }
        }
    }
}
