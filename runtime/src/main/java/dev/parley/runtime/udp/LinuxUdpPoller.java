package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Waits with epoll for sockets that move datagrams in batches, through {@code java.lang.foreign}.
 * Linux on x86_64 and aarch64. Owned by the loop's thread.
 *
 * <p>A virtual thread that waits here keeps its carrier, and the JDK does not make another one in
 * its place: {@code jdk.virtualThreadScheduler.parallelism} must exceed the number of loops in the
 * process.
 */
public final class LinuxUdpPoller implements UdpPoller {
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_REUSEPORT = 15;
    private static final int SO_BUSY_POLL = 46;
    private static final int IPV6_V6ONLY = 26;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLLIN = 1;

    /** The kernel packs struct epoll_event on x86_64 only: events 4, data 8. */
    private static final boolean PACKED = !isAarch64();

    private static final int EVENT_BYTES = PACKED ? 12 : 16;
    private static final int EVENT_DATA = PACKED ? 4 : 8;

    /** One event per change: wakeups need no reading. */
    private static final int EPOLLET = 1 << 31;

    // Data of events; ports count from 0.
    private static final int WAKEUP = -1;
    private static final int TIMER = -2;
    private static final int OTHER_EVENTS = 2;

    private final PacketCalls calls = new LinuxPacketCalls();
    private final int epoll;
    private final int wakeups;
    private final int timer;

    /** An epoll of wakeups alone. */
    private final int paused;

    private final AtomicBoolean awoken = new AtomicBoolean();
    private LinuxUdpPort[] ports = new LinuxUdpPort[0];
    private MemorySegment events = room(OTHER_EVENTS);
    private boolean closed;

    public LinuxUdpPoller() {
        try {
            epoll = Libc.epollCreate(CLOEXEC);
            wakeups = Libc.eventfd(CLOEXEC | SOCK_NONBLOCK);
            timer = Libc.timerfd(CLOEXEC | SOCK_NONBLOCK);
            paused = Libc.epollCreate(CLOEXEC);
            watch(epoll, wakeups, EPOLLIN | EPOLLET, WAKEUP);
            watch(paused, wakeups, EPOLLIN | EPOLLET, WAKEUP);
            watch(epoll, timer, EPOLLIN, TIMER);
        } catch (IOException e) {
            throw new UncheckedIOException("no epoll: " + e.getMessage(), e);
        }
    }

    /** Whether this machine has what the class needs. */
    public static boolean isSupported() {
        return System.getProperty("os.name").equals("Linux")
                && (isAarch64() || System.getProperty("os.arch").equals("amd64"));
    }

    static boolean isAarch64() {
        return System.getProperty("os.arch").toLowerCase(Locale.ROOT).equals("aarch64");
    }

    private static MemorySegment room(int events) {
        return Arena.ofAuto().allocate((long) events * EVENT_BYTES, 8);
    }

    private static void watch(int epoll, int descriptor, int what, int data) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(EVENT_BYTES, 8);
            event.set(JAVA_INT, 0, what);
            event.set(JAVA_INT_UNALIGNED, EVENT_DATA, data);
            Libc.epollControl(epoll, EPOLL_CTL_ADD, descriptor, event);
        }
    }

    @Override
    public UdpPort bind(InetSocketAddress local, UdpOptions options) {
        int descriptor = -1;
        try {
            if (local.isUnresolved()) {
                throw new IOException("unknown host");
            }
            boolean ipv6 = local.getAddress() instanceof Inet6Address;
            descriptor =
                    Libc.socket(
                            ipv6 ? SocketAddressBytes.AF_INET6 : SocketAddressBytes.AF_INET,
                            SOCK_DGRAM | SOCK_NONBLOCK | CLOEXEC);
            configure(descriptor, local, options, ipv6);
            try (Arena arena = Arena.ofConfined()) {
                Libc.bind(descriptor, SocketAddressBytes.of(local, arena));
            }
            return add(descriptor, ipv6);
        } catch (IOException e) {
            if (descriptor >= 0) {
                closeQuietly(descriptor);
            }
            throw new UdpBindException(
                    "cannot bind UDP " + IpAddress.text(local) + ": " + e.getMessage(), e);
        }
    }

    @Override
    public UdpPort adopt(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(SocketAddressBytes.IPV6_BYTES, 8);
            Libc.getsockname(descriptor, name);
            return add(descriptor, !SocketAddressBytes.isIpv4(name, 0));
        } catch (IOException e) {
            closeQuietly(descriptor);
            throw new UdpBindException("cannot take over a socket: " + e.getMessage(), e);
        }
    }

    private static void configure(
            int descriptor, InetSocketAddress local, UdpOptions options, boolean ipv6)
            throws IOException {
        Libc.setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, options.receiveBufferBytes());
        Libc.setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, options.sendBufferBytes());
        if (options.reusePort()) {
            Libc.setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, 1);
        }
        if (options.busyPollMicros() > 0) {
            Libc.setsockopt(descriptor, SOL_SOCKET, SO_BUSY_POLL, options.busyPollMicros());
        }
        if (!local.getAddress().isAnyLocalAddress()) {
            return;
        }
        if (ipv6) {
            // A wildcard serves both families, whatever net.ipv6.bindv6only says.
            Libc.setsockopt(descriptor, PacketInfo.IPPROTO_IPV6, IPV6_V6ONLY, 0);
            Libc.setsockopt(descriptor, PacketInfo.IPPROTO_IPV6, PacketInfo.IPV6_RECVPKTINFO, 1);
        } else {
            Libc.setsockopt(descriptor, PacketInfo.IPPROTO_IP, PacketInfo.IP_PKTINFO, 1);
        }
    }

    private LinuxUdpPort add(int descriptor, boolean ipv6) throws IOException {
        LinuxUdpPort port =
                new LinuxUdpPort(
                        calls,
                        descriptor,
                        boundAddress(descriptor, ipv6),
                        granted(descriptor, SO_RCVBUF),
                        granted(descriptor, SO_SNDBUF));
        int place = freePlace();
        watch(epoll, descriptor, EPOLLIN, place);
        ports[place] = port;
        return port;
    }

    /** Where a port was that has been closed, or else behind the others. */
    private int freePlace() {
        for (int i = 0; i < ports.length; i++) {
            if (ports[i].isClosed()) {
                return i;
            }
        }
        ports = Arrays.copyOf(ports, ports.length + 1);
        events = room(ports.length + OTHER_EVENTS);
        return ports.length - 1;
    }

    private static InetSocketAddress boundAddress(int descriptor, boolean ipv6) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(SocketAddressBytes.IPV6_BYTES, 8);
            Libc.getsockname(descriptor, name);
            int port = SocketAddressBytes.readPort(name, 0);
            if (!ipv6) {
                long low = SocketAddressBytes.readIpv4(name, 0) & 0xFFFF_FFFFL;
                return IpAddress.toSocketAddress(
                        DatagramBatch.IPV4_MAPPED_HIGH, DatagramBatch.IPV4_MAPPED_LOW | low, port);
            }
            InetAddress address =
                    IpAddress.toInetAddress(
                            SocketAddressBytes.readIpv6High(name, 0),
                            SocketAddressBytes.readIpv6Low(name, 0));
            return new InetSocketAddress(address, port);
        }
    }

    // Linux books twice what was asked for, its own overhead included, and tells that number.
    private static int granted(int descriptor, int option) throws IOException {
        return Libc.getsockopt(descriptor, SOL_SOCKET, option, 1, 0) / 2;
    }

    @Override
    public void await(long timeoutNanos) {
        int count =
                calls.await(
                        epoll,
                        events.address(),
                        ports.length + OTHER_EVENTS,
                        anyReady() ? 0 : timeoutNanos);
        if (count < 0 && count != -Errno.EINTR) {
            throw new IllegalStateException("cannot wait for datagrams: " + Libc.text(-count));
        }
        for (int i = 0; i < count; i++) {
            int data = events.get(JAVA_INT_UNALIGNED, (long) i * EVENT_BYTES + EVENT_DATA);
            if (data >= 0) {
                ports[data].ready();
            } else if (data == WAKEUP) {
                awoken.set(false);
            } else {
                calls.takeFirings(timer);
            }
        }
    }

    @Override
    public void pause(long nanos) {
        if (calls.await(paused, events.address(), OTHER_EVENTS, Math.max(0, nanos)) > 0) {
            awoken.set(false);
        }
        for (LinuxUdpPort port : ports) {
            port.gathered();
        }
    }

    @Override
    public void wakeEvery(long intervalNanos) {
        try {
            Libc.timerfdSettime(timer, intervalNanos);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean anyReady() {
        for (LinuxUdpPort port : ports) {
            if (port.isReady()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void wakeup() {
        if (awoken.compareAndSet(false, true)) {
            LinuxPacketCalls.wake(wakeups);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (LinuxUdpPort port : ports) {
            port.close();
        }
        // A late wakeup must find no descriptor of somebody else's.
        awoken.set(true);
        closeQuietly(wakeups);
        closeQuietly(timer);
        closeQuietly(paused);
        closeQuietly(epoll);
    }

    private static void closeQuietly(int descriptor) {
        try {
            Libc.close(descriptor);
        } catch (IOException _) {
            // The descriptor is gone either way.
        }
    }
}
