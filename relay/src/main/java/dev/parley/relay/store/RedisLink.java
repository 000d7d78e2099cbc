package dev.parley.relay.store;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.io.File;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes connections to Redis through Lettuce, whichever way its servers are one. What waits for
 * Redis is bounded: commands are rejected while there is no connection and beyond a queue, and time
 * out. Owned by the backend.
 */
final class RedisLink implements AutoCloseable {
    /** Commands that wait for an answer, or to be sent, on one connection. */
    private static final int QUEUE = 4_096;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration RECONNECT_MIN = Duration.ofMillis(50);
    private static final Duration RECONNECT_MAX = Duration.ofSeconds(2);
    private static final long RECONNECT_BASE_MILLIS = 100;
    private static final Duration TOPOLOGY_PERIOD = Duration.ofSeconds(30);
    private static final int THREADS = 2;
    private static final long SHUTDOWN_SECONDS = 2;

    /** A connection and its commands. */
    record Connection(
            StatefulConnection<String, String> connection,
            RedisClusterAsyncCommands<String, String> commands,
            boolean gathers) {
        /** From now on commands go with {@link #flush}, several at a time. */
        void gather() {
            // A Cluster's connections come and go by themselves, each with its own commands.
            if (gathers) {
                connection.setAutoFlushCommands(false);
            }
        }

        /** Sends what was gathered. */
        void flush() {
            if (gathers) {
                connection.flushCommands();
            }
        }

        /** Drops it; what waits fails. */
        void close() {
            var _ = connection.closeAsync();
        }
    }

    private final RedisSettings settings;
    private final ClientResources resources;
    private final AbstractRedisClient client;

    RedisLink(RedisSettings settings) {
        this.settings = settings;
        resources =
                DefaultClientResources.builder()
                        .ioThreadPoolSize(THREADS)
                        .computationThreadPoolSize(THREADS)
                        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                        .reconnectDelay(
                                Delay.fullJitter(
                                        RECONNECT_MIN,
                                        RECONNECT_MAX,
                                        RECONNECT_BASE_MILLIS,
                                        TimeUnit.MILLISECONDS))
                        .build();
        client = settings.mode() == RedisMode.CLUSTER ? clusterClient() : plainClient();
    }

    private RedisClient plainClient() {
        RedisClient made = RedisClient.create(resources);
        made.setOptions(common(ClientOptions.builder()).build());
        return made;
    }

    private RedisClusterClient clusterClient() {
        RedisClusterClient made =
                RedisClusterClient.create(
                        resources,
                        settings.nodes().stream().map(n -> uri(n.host(), n.port())).toList());
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        var _ = common(options);
        made.setOptions(
                options.validateClusterNodeMembership(false)
                        .topologyRefreshOptions(
                                ClusterTopologyRefreshOptions.builder()
                                        .enablePeriodicRefresh(TOPOLOGY_PERIOD)
                                        .build())
                        .build());
        return made;
    }

    private ClientOptions.Builder common(ClientOptions.Builder options) {
        SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider();
        if (!settings.caFile().isEmpty()) {
            ssl = ssl.trustManager(new File(settings.caFile()));
        }
        return options.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(QUEUE)
                .pingBeforeActivateConnection(true)
                .socketOptions(
                        SocketOptions.builder()
                                .connectTimeout(CONNECT_TIMEOUT)
                                .keepAlive(
                                        SocketOptions.KeepAliveOptions.builder()
                                                .enable()
                                                .idle(Duration.ofSeconds(5))
                                                .interval(Duration.ofSeconds(2))
                                                .count(3)
                                                .build())
                                .build())
                .sslOptions(ssl.build())
                .timeoutOptions(TimeoutOptions.enabled(settings.timeout()));
    }

    private RedisURI uri(String host, int port) {
        RedisURI.Builder uri =
                authenticated(RedisURI.builder().withHost(host).withPort(port))
                        .withDatabase(settings.database());
        return secured(uri).build();
    }

    private RedisURI sentinelUri() {
        RedisURI.Builder uri =
                RedisURI.builder()
                        .withSentinelMasterId(settings.master())
                        .withDatabase(settings.database());
        for (var node : settings.nodes()) {
            RedisURI.Builder sentinel =
                    secured(RedisURI.builder().withHost(node.host()).withPort(node.port()));
            if (!settings.sentinelPassword().isEmpty()) {
                sentinel = sentinel.withPassword(settings.sentinelPassword().toCharArray());
            }
            uri = uri.withSentinel(sentinel.build());
        }
        return secured(authenticated(uri)).build();
    }

    private RedisURI.Builder secured(RedisURI.Builder uri) {
        uri.withTimeout(CONNECT_TIMEOUT);
        return settings.tls() ? uri.withSsl(true).withVerifyPeer(SslVerifyMode.FULL) : uri;
    }

    private RedisURI.Builder authenticated(RedisURI.Builder uri) {
        char[] password = settings.password().toCharArray();
        if (!settings.username().isEmpty()) {
            return uri.withAuthentication(settings.username(), password);
        }
        return password.length == 0 ? uri : uri.withPassword(password);
    }

    /** Connects for the first time, or anew; a connection that breaks mends itself. */
    CompletionStage<Connection> connect() {
        return switch (client) {
            case RedisClusterClient cluster ->
                    cluster.refreshPartitionsAsync()
                            .thenCompose(_ -> cluster.connectAsync(StringCodec.ASCII))
                            .thenApply(c -> new Connection(c, c.async(), false));
            case RedisClient plain ->
                    plain.connectAsync(StringCodec.ASCII, plainUri())
                            .thenApply(c -> new Connection(c, c.async(), true));
            default -> throw new IllegalStateException("no such client");
        };
    }

    private RedisURI plainUri() {
        var first = settings.nodes().getFirst();
        return settings.mode() == RedisMode.SENTINEL
                ? sentinelUri()
                : uri(first.host(), first.port());
    }

    @Override
    public void close() {
        try {
            client.shutdownAsync(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                    .get(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            resources
                    .shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                    .get(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException _) {
            // Its threads are daemons; they end with the process.
        }
    }
}
