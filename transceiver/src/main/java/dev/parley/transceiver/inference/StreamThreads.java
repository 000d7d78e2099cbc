package dev.parley.transceiver.inference;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of the transport that carry streams to one backend. Each connection stays on one of
 * them. Calls of other backends are not on them, so one that floods us takes its time from its own.
 * Owned by {@link Backends}; any thread may enter.
 */
final class StreamThreads implements AutoCloseable {
    /** Epoll by itself, where its native library is there, costs less than the JDK's selectors. */
    private static final boolean EPOLL = Epoll.isAvailable();

    /** What has been handed over last still leaves. */
    private static final long CLOSE_SECONDS = 2;

    private final EventLoopGroup group;
    private final List<StreamThread> threads = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    StreamThreads() {
        // Streams take about a third of what media loops and they do together.
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        IoHandlerFactory waiting = EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        group =
                new MultiThreadIoEventLoopGroup(
                        count, new DefaultThreadFactory("grpc-inference", true), waiting);
        for (int i = 0; i < count; i++) {
            threads.add(new StreamThread(group.next()));
        }
    }

    /** What makes connections on these threads. */
    Class<? extends SocketChannel> channelType() {
        return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** The thread of a new connection. */
    StreamThread next() {
        return threads.get(Math.floorMod(turn.getAndIncrement(), threads.size()));
    }

    /** Has each send what waits. */
    void flush() {
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).flush();
        }
    }

    @Override
    public void close() {
        var _ = group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
