package dev.parley.bench.grpc;

import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.helidon.common.tls.Tls;
import io.helidon.webclient.grpc.GrpcClient;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.grpc.GrpcRouting;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** One way to build each end of a Converse stream. */
enum Transport {
    /** grpc-netty on epoll; callbacks run on the event loop. */
    NETTY(true, Callbacks.DIRECT),
    /** grpc-netty on epoll; callbacks run on virtual threads. */
    NETTY_VIRTUAL(true, Callbacks.VIRTUAL),
    /** grpc-netty on epoll; callbacks run on gRPC's default cached pool. */
    NETTY_POOL(true, Callbacks.POOL),
    /** grpc-netty on the JDK's selector; callbacks run on the event loop. */
    NETTY_NIO(false, Callbacks.DIRECT),
    /** Helidon with its defaults, which are virtual threads throughout. */
    HELIDON(false, Callbacks.VIRTUAL);

    private enum Callbacks {
        DIRECT,
        VIRTUAL,
        POOL
    }

    /** A started server. */
    record Listening(int port, Runnable stop) {}

    /** A client's channel. */
    record Connected(Channel channel, Runnable stop) {}

    private final boolean epoll;
    private final Callbacks callbacks;

    Transport(boolean epoll, Callbacks callbacks) {
        this.epoll = epoll;
        this.callbacks = callbacks;
    }

    static Transport named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Listening serve(BindableService service, ServerInterceptor interceptor) throws Exception {
        if (this == HELIDON) {
            WebServer server =
                    WebServer.builder()
                            .host("127.0.0.1")
                            .port(0)
                            .shutdownHook(false)
                            .addRouting(
                                    GrpcRouting.builder().intercept(interceptor).service(service))
                            .build()
                            .start();
            return new Listening(server.port(), server::stop);
        }
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        if (!epoll) {
            builder.channelType(NioServerSocketChannel.class)
                    .bossEventLoopGroup(nioLoops(1))
                    .workerEventLoopGroup(nioLoops(Runtime.getRuntime().availableProcessors()));
        }
        switch (callbacks) {
            case DIRECT -> builder.directExecutor();
            case VIRTUAL -> builder.executor(virtualThreads());
            case POOL -> {}
        }
        Server server = builder.addService(service).intercept(interceptor).build().start();
        return new Listening(server.getPort(), server::shutdownNow);
    }

    Connected connect(int port) {
        if (this == HELIDON) {
            GrpcClient client =
                    GrpcClient.builder()
                            .baseUri("http://127.0.0.1:" + port)
                            .tls(Tls.builder().enabled(false).build())
                            .build();
            return new Connected(client.channel(), () -> {});
        }
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext();
        if (!epoll) {
            builder.channelType(NioSocketChannel.class)
                    .eventLoopGroup(nioLoops(Runtime.getRuntime().availableProcessors()));
        }
        switch (callbacks) {
            case DIRECT -> builder.directExecutor();
            case VIRTUAL -> builder.executor(virtualThreads());
            case POOL -> {}
        }
        var channel = builder.build();
        return new Connected(channel, channel::shutdownNow);
    }

    private static EventLoopGroup nioLoops(int threads) {
        return new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
    }

    /** Lives as long as the process: a bench is one process per side. */
    private static Executor virtualThreads() {
        return Executors.newVirtualThreadPerTaskExecutor();
    }
}
