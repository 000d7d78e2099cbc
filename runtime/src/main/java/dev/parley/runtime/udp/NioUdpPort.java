package dev.parley.runtime.udp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One {@link DatagramChannel} as a {@link UdpPort}. Sending re-uses address objects from a bounded
 * table; receiving allocates whenever the sender differs from the one before, which the JDK does
 * not let us avoid.
 */
final class NioUdpPort implements UdpPort {
    private static final int CACHED_PEERS = 4096;

    private final DatagramChannel channel;
    private final InetSocketAddress localAddress;
    private final int receiveBufferBytes;
    private final int sendBufferBytes;
    private final UdpCounters counters = new UdpCounters();

    // Direct-mapped: a colliding peer replaces the one before.
    private final @Nullable InetSocketAddress[] peers = new InetSocketAddress[CACHED_PEERS];
    private final long[] peerHighs = new long[CACHED_PEERS];
    private final long[] peerLows = new long[CACHED_PEERS];
    private final int[] peerPorts = new int[CACHED_PEERS];

    private @Nullable SocketAddress lastSender;
    private long lastSenderHigh;
    private long lastSenderLow;
    private int lastSenderPort;

    NioUdpPort(DatagramChannel channel) throws IOException {
        this.channel = channel;
        this.localAddress = (InetSocketAddress) channel.getLocalAddress();
        this.receiveBufferBytes = channel.getOption(StandardSocketOptions.SO_RCVBUF);
        this.sendBufferBytes = channel.getOption(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public int receive(DatagramBatch batch) {
        int received = 0;
        // Each truncated datagram uses up a try, so that a flood of them cannot hold the loop.
        for (int tries = 0; tries < batch.capacity(); tries++) {
            int start = batch.slotOffset(received) + batch.headroomBytes();
            // One byte more than a payload may have shows that a datagram was too long.
            ByteBuffer view = batch.view(start, batch.payloadBytes() + 1);
            SocketAddress sender = receive(view);
            if (sender == null) {
                return received;
            }
            int length = view.position() - start;
            if (length > batch.payloadBytes()) {
                counters.increment(UdpCounters.Reason.RECEIVE_TRUNCATED);
                continue;
            }
            remember(sender);
            batch.datagram(received, start, length);
            batch.peer(received, lastSenderHigh, lastSenderLow, lastSenderPort);
            batch.local(received, 0, 0);
            received++;
        }
        return received;
    }

    private @Nullable SocketAddress receive(ByteBuffer view) {
        try {
            return channel.receive(view);
        } catch (PortUnreachableException _) {
            counters.increment(UdpCounters.Reason.PEER_UNREACHABLE);
        } catch (ClosedChannelException _) {
            // Closing ends the loop; what was not read stays unread.
        } catch (IOException _) {
            counters.increment(UdpCounters.Reason.RECEIVE_ERROR);
        }
        return null;
    }

    // The channel answers the same object while the sender stays the same.
    @SuppressWarnings("ReferenceEquality")
    private void remember(SocketAddress sender) {
        if (sender == lastSender) {
            return;
        }
        InetSocketAddress address = (InetSocketAddress) sender;
        lastSender = sender;
        lastSenderHigh = IpAddress.high(address.getAddress());
        lastSenderLow = IpAddress.low(address.getAddress());
        lastSenderPort = address.getPort();
    }

    @Override
    public int send(DatagramBatch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            ByteBuffer view = batch.view(batch.start(i), batch.length(i));
            InetSocketAddress peer = peer(batch.addressHigh(i), batch.addressLow(i), batch.port(i));
            // The channel answers 0 bytes both for an empty datagram and for a full buffer.
            if (!send(view, peer) && batch.length(i) > 0) {
                return i - from;
            }
        }
        return to - from;
    }

    /** Answers false when the socket's buffer is full. */
    private boolean send(ByteBuffer view, InetSocketAddress peer) {
        try {
            return channel.send(view, peer) > 0;
        } catch (PortUnreachableException _) {
            counters.increment(UdpCounters.Reason.PEER_UNREACHABLE);
        } catch (IOException e) {
            counters.increment(reason(e));
        } catch (UnsupportedAddressTypeException | UnresolvedAddressException _) {
            // An IPv6 peer of an IPv4 socket: a system call would answer EAFNOSUPPORT.
            counters.increment(UdpCounters.Reason.SEND_ERROR);
        }
        return true;
    }

    // The JDK hands the errno on as its text only.
    private static UdpCounters.Reason reason(IOException e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        if (message.contains("too long") || message.contains("too large")) {
            return UdpCounters.Reason.SEND_TOO_LONG;
        }
        return message.contains("buffer space")
                ? UdpCounters.Reason.SEND_BUFFER_FULL
                : UdpCounters.Reason.SEND_ERROR;
    }

    private InetSocketAddress peer(long high, long low, int port) {
        long mixed = (high ^ Long.rotateLeft(low, 17) ^ port) * 0x9E37_79B9_7F4A_7C15L;
        int slot = (int) (mixed >>> 52) & (CACHED_PEERS - 1);
        InetSocketAddress cached = peers[slot];
        if (cached != null
                && peerLows[slot] == low
                && peerPorts[slot] == port
                && peerHighs[slot] == high) {
            return cached;
        }
        InetSocketAddress made = IpAddress.toSocketAddress(high, low, port);
        peers[slot] = made;
        peerHighs[slot] = high;
        peerLows[slot] = low;
        peerPorts[slot] = port;
        return made;
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    @Override
    public int sendBufferBytes() {
        return sendBufferBytes;
    }

    @Override
    public void countKernelDrops() {
        // The JDK has no way to ask.
    }

    @Override
    public UdpCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
