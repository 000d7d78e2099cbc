package dev.parley.runtime.udp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/**
 * The portable poller: a {@link Selector} over {@link DatagramChannel}s, one datagram per system
 * call. It runs wherever a JDK does; the kernel-batched one replaces it where it can. Owned by the
 * loop's thread.
 *
 * <p>Waiting rounds up to whole milliseconds, which is all that {@code Selector} offers.
 */
public final class NioUdpPoller implements UdpPoller {
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final Selector selector;
    private long longest = Long.MAX_VALUE;

    public NioUdpPoller() {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("no selector: " + e.getMessage(), e);
        }
    }

    @Override
    public UdpPort bind(InetSocketAddress local, UdpOptions options) {
        DatagramChannel channel = null;
        try {
            if (local.isUnresolved()) {
                throw new IOException("unknown host");
            }
            channel = DatagramChannel.open(family(local));
            channel.configureBlocking(false);
            if (options.reusePort()) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.setOption(StandardSocketOptions.SO_RCVBUF, options.receiveBufferBytes());
            channel.setOption(StandardSocketOptions.SO_SNDBUF, options.sendBufferBytes());
            channel.bind(local);
            channel.register(selector, SelectionKey.OP_READ);
            return new NioUdpPort(channel);
        } catch (IOException | UnsupportedOperationException e) {
            closeQuietly(channel);
            throw new UdpBindException(
                    "cannot bind UDP " + IpAddress.text(local) + ": " + reason(e), e);
        }
    }

    // An IPv4 address gets an IPv4 socket. A wildcard IPv6 address serves both families.
    private static ProtocolFamily family(InetSocketAddress local) {
        return local.getAddress() instanceof Inet6Address
                ? StandardProtocolFamily.INET6
                : StandardProtocolFamily.INET;
    }

    private static String reason(Exception e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    @Override
    public void await(long timeoutNanos) {
        try {
            if (timeoutNanos <= 0) {
                selector.selectNow(NioUdpPoller::ignore);
            } else {
                selector.select(NioUdpPoller::ignore, wholeMillis(Math.min(timeoutNanos, longest)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot wait for datagrams: " + e.getMessage(), e);
        }
    }

    @Override
    public void wakeEvery(long intervalNanos) {
        longest = intervalNanos == 0 ? Long.MAX_VALUE : intervalNanos;
    }

    // Loops ask every port anyway; which one was ready does not matter.
    private static void ignore(SelectionKey key) {}

    private static long wholeMillis(long nanos) {
        long millis = nanos / NANOS_PER_MILLI;
        return nanos % NANOS_PER_MILLI == 0 ? millis : millis + 1;
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public void close() {
        if (!selector.isOpen()) {
            return;
        }
        for (SelectionKey key : selector.keys()) {
            closeQuietly((DatagramChannel) key.channel());
        }
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void closeQuietly(@Nullable DatagramChannel channel) {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException _) {
            // The descriptor is gone either way.
        }
    }
}
