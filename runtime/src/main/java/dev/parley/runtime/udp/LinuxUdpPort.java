package dev.parley.runtime.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A socket that moves batches with one system call each. The poller that opened it says when
 * datagrams wait, so an idle socket costs no call. Nothing is allocated per datagram; no errno is
 * fatal.
 */
final class LinuxUdpPort implements UdpPort {
    private static final int SOL_SOCKET = 1;
    private static final int SO_MEMINFO = 55;
    private static final int MEMINFO_COUNT = 9;
    private static final int MEMINFO_DROPS = 8;

    /** TCP's port multiplexer, which UDP has no use for. */
    private static final int UNUSED_PORT = 1;

    /** After so many receives that found one datagram or none, most ask for one only. */
    private static final int FEW = 16;

    private final PacketCalls calls;
    private final int descriptor;
    private final InetSocketAddress localAddress;
    private final boolean ipv6;
    private final boolean wildcard;
    private final int receiveBufferBytes;
    private final int sendBufferBytes;
    private final UdpCounters counters = new UdpCounters();
    private boolean ready;
    private boolean closed;
    private int singles;

    LinuxUdpPort(
            PacketCalls calls,
            int descriptor,
            InetSocketAddress localAddress,
            int receiveBufferBytes,
            int sendBufferBytes) {
        this.calls = calls;
        this.descriptor = descriptor;
        this.localAddress = localAddress;
        this.ipv6 = localAddress.getAddress() instanceof Inet6Address;
        this.wildcard = localAddress.getAddress().isAnyLocalAddress();
        this.receiveBufferBytes = receiveBufferBytes;
        this.sendBufferBytes = sendBufferBytes;
    }

    /** The poller has seen datagrams waiting. */
    void ready() {
        ready = true;
    }

    /** Datagrams have had time to gather: all of them are to be asked for. */
    void gathered() {
        ready = true;
        singles = 0;
    }

    /** Whether datagrams may still wait since the poller last saw some. */
    boolean isReady() {
        return ready && !closed;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public int receive(DatagramBatch batch) {
        if (!ready) {
            return 0;
        }
        MessageVectors vectors = batch.vectors();
        int received = calls.receive(descriptor, vectors.received(), toAskFor(batch.capacity()));
        // After a whole batch more may wait; otherwise the poller will tell.
        ready = received == batch.capacity();
        countSingle(received <= 1);
        if (received < 0) {
            countReceive(-received);
            return 0;
        }
        int kept = 0;
        for (int i = 0; i < received; i++) {
            kept += keep(vectors, batch, i, kept);
        }
        return kept;
    }

    // Asking for more than what waits costs a vain look in the kernel. While datagrams come one by
    // one, most receives ask for one only; one in a while asks for all and ends that when more
    // wait.
    private int toAskFor(int capacity) {
        return singles <= FEW ? capacity : 1;
    }

    private void countSingle(boolean single) {
        singles = single ? singles + 1 : 0;
        if (singles == 2 * FEW) {
            singles = FEW;
        }
    }

    private int keep(MessageVectors vectors, DatagramBatch batch, int i, int slot) {
        int length = vectors.receivedLength(i);
        boolean whole = length <= batch.payloadBytes();
        if (whole) {
            batch.datagram(slot, batch.slotOffset(i) + batch.headroomBytes(), length);
            vectors.readPeer(i, batch, slot);
            if (wildcard) {
                vectors.readLocal(i, batch, slot);
            } else {
                batch.local(slot, 0, 0);
            }
        } else {
            counters.increment(UdpCounters.Reason.RECEIVE_TRUNCATED);
        }
        vectors.rearm(i);
        return whole ? 1 : 0;
    }

    private void countReceive(int errno) {
        switch (errno) {
            case Errno.EAGAIN, Errno.EINTR -> {
                // Nothing waits, or a signal came: the poller will tell.
            }
            case Errno.ECONNREFUSED -> counters.increment(UdpCounters.Reason.PEER_UNREACHABLE);
            default -> counters.increment(UdpCounters.Reason.RECEIVE_ERROR);
        }
    }

    @Override
    public int send(DatagramBatch batch, int from, int to) {
        MessageVectors vectors = batch.vectors();
        for (int i = from; i < to; i++) {
            vectors.prepare(batch, i, ipv6);
        }
        int next = from;
        int refusedAgain = -1;
        while (next < to) {
            int sent = calls.send(descriptor, vectors.sent(next), to - next);
            if (sent > 0) {
                next += sent;
            } else if (sent == -Errno.EAGAIN) {
                return next - from;
            } else if (sent == -Errno.ECONNREFUSED && refusedAgain != next) {
                // The error of an earlier datagram: this one was not tried yet.
                counters.increment(UdpCounters.Reason.PEER_UNREACHABLE);
                refusedAgain = next;
            } else if (sent != -Errno.EINTR) {
                // The first datagram of the call owns the error; the others go on.
                counters.increment(sendReason(-sent));
                next++;
            }
        }
        return to - from;
    }

    private static UdpCounters.Reason sendReason(int errno) {
        return switch (errno) {
            case Errno.ENOBUFS -> UdpCounters.Reason.SEND_BUFFER_FULL;
            case Errno.EMSGSIZE -> UdpCounters.Reason.SEND_TOO_LONG;
            case Errno.ECONNREFUSED -> UdpCounters.Reason.PEER_UNREACHABLE;
            default -> UdpCounters.Reason.SEND_ERROR;
        };
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
        try {
            int drops =
                    Libc.getsockopt(
                            descriptor, SOL_SOCKET, SO_MEMINFO, MEMINFO_COUNT, MEMINFO_DROPS);
            counters.set(UdpCounters.Reason.RECEIVE_QUEUE_FULL, Integer.toUnsignedLong(drops));
        } catch (IOException _) {
            // Before Linux 4.12 the kernel does not tell.
        }
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    // A connected socket gets only what comes from its peer, and the kernel leaves it out when it
    // chooses among the sockets of an address. The peer is a port of our own that nobody sends
    // from.
    @Override
    public void leave() {
        InetAddress own =
                wildcard
                        ? InetAddress.ofLiteral(ipv6 ? "::1" : "127.0.0.1")
                        : localAddress.getAddress();
        try (Arena arena = Arena.ofConfined()) {
            InetSocketAddress peer = new InetSocketAddress(own, UNUSED_PORT);
            Libc.connect(descriptor, SocketAddressBytes.of(peer, arena));
        } catch (IOException _) {
            // Then it stays, and closing it loses what comes until then.
        }
    }

    @Override
    public UdpCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Libc.close(descriptor);
        } catch (IOException _) {
            // The descriptor is gone either way.
        }
    }
}
