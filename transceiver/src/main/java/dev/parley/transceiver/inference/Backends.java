package dev.parley.transceiver.inference;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.Tracing;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.recording.CallTape;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The inference services that this transceiver knows, by model: a {@link ReplicaSet} for each entry
 * of the config, connected from the start so that no call waits for a connection. Shared by all
 * threads.
 */
public final class Backends implements AutoCloseable {
    /** The key of the backend that takes every model without one of its own. */
    public static final String ANY_MODEL = "*";

    /** Longest message of a backend: 1 MiB of audio, and what stands around it. */
    static final int MAX_MESSAGE_BYTES = (1 << 20) + (1 << 16);

    /**
     * A longer one is still read to here, so that the backend can be told; beyond it gRPC breaks
     * the stream off, as it does by default.
     */
    private static final int MAX_READ_BYTES = 4 << 20;

    /** Unread output that a backend may push at one stream; more waits on its side. */
    private static final int STREAM_WINDOW_BYTES = 256 * 1024;

    private static final long CLOSE_SECONDS = 2;

    /** How often names are looked up again; the JVM itself remembers them for up to 30 s. */
    private static final long REFRESH_SECONDS = 5;

    /** How soon a backend that was away is found to be back, and connected to. */
    private static final long RECONNECT_SECONDS = 1;

    /** How often it is looked whether certificates have been renewed. */
    private static final long FILES_REFRESH_SECONDS = 10;

    private static final String DNS_SCHEME = "dns:///";

    /** Makes channels to backends where those over HTTP/2 are not wanted, to measure without. */
    @FunctionalInterface
    public interface Channels {
        ManagedChannelBuilder<?> to(InetSocketAddress address);
    }

    private final Map<String, ReplicaSet> byModel = new HashMap<>();
    private final Map<String, ReplicaSet> byBeginning =
            new TreeMap<>(
                    Comparator.comparingInt(String::length)
                            .reversed()
                            .thenComparing(Comparator.naturalOrder()));
    private final Map<List<HostPort>, ReplicaSet> sets = new HashMap<>();
    private final BackendSettings settings;
    private final AudioCounters audio;
    private final ClientSpans spans;
    private final CallTape.Source tapes;
    private final BackendTls tls;
    private final LinkCounters links = new LinkCounters();
    private final List<StreamThreads> threads = new ArrayList<>();
    private final @Nullable Channels channels;
    private final ScheduledExecutorService timers =
            new ScheduledThreadPoolExecutor(
                    1,
                    Thread.ofPlatform().daemon().name("inference-timers").factory(),
                    // Streams that break because all of this is closed go on with nobody.
                    new ThreadPoolExecutor.DiscardPolicy());

    /**
     * Opens the channels.
     *
     * @param targets model, its beginning and {@link #ANY_MODEL}, or that alone, to one or several
     *     {@code host:port}, separated by spaces
     * @throws ConfigException when a target is no {@code host:port}
     */
    public static Backends open(
            Map<String, String> targets, BackendSettings settings, AudioCounters audio) {
        return open(targets, settings, audio, Tracing.none(), CallTape.Source.NONE, null);
    }

    /**
     * As above, with streams that are spans of their calls.
     *
     * @param tapes decides which calls are kept
     * @param channels null for those over HTTP/2
     */
    public static Backends open(
            Map<String, String> targets,
            BackendSettings settings,
            AudioCounters audio,
            Tracing tracing,
            CallTape.Source tapes,
            @Nullable Channels channels) {
        Backends backends =
                new Backends(settings, audio, new ClientSpans(tracing), tapes, channels);
        targets.forEach((model, text) -> backends.add(model, parse(model, text)));
        backends.refreshNames();
        backends.refreshFiles();
        backends.reconnect();
        return backends;
    }

    private Backends(
            BackendSettings settings,
            AudioCounters audio,
            ClientSpans spans,
            CallTape.Source tapes,
            @Nullable Channels channels) {
        this.channels = channels;
        this.tapes = tapes;
        this.tls = BackendTls.of(settings.tls());
        this.settings = settings;
        this.audio = audio;
        this.spans = spans;
    }

    /**
     * Reads what serves a model.
     *
     * @throws ConfigException when it is no {@code host:port}
     */
    public static List<HostPort> parse(String model, String text) {
        List<HostPort> parsed = new ArrayList<>();
        for (String target : text.strip().split("\\s+", -1)) {
            parsed.add(parseOne(model, target));
        }
        int star = model.indexOf(ANY_MODEL);
        if (star >= 0 && star < model.length() - 1) {
            throw new ConfigException(
                    "backends: model \""
                            + model
                            + "\" has a * that is not its last letter; write the beginning of a"
                            + " name and *, or the whole name");
        }
        return parsed;
    }

    private static HostPort parseOne(String model, String target) {
        String fault;
        try {
            HostPort parsed =
                    HostPort.parse(
                            target.startsWith(DNS_SCHEME)
                                    ? target.substring(DNS_SCHEME.length())
                                    : target);
            if (parsed.port() != 0) {
                return parsed;
            }
            fault = "has port 0";
        } catch (IllegalArgumentException e) {
            fault = String.valueOf(e.getMessage());
        }
        throw new ConfigException(
                "backends: \""
                        + target
                        + "\" of model \""
                        + model
                        + "\" "
                        + fault
                        + "; write model: host:port, for instance \"*\": 127.0.0.1:9090");
    }

    private void add(String model, List<HostPort> targets) {
        ReplicaSet set =
                sets.computeIfAbsent(
                        targets,
                        _ -> {
                            StreamThreads own = new StreamThreads();
                            threads.add(own);
                            ReplicaSet made =
                                    new ReplicaSet(
                                            targets,
                                            (target, address) -> connect(target, address, own));
                            made.refresh();
                            return made;
                        });
        if (model.endsWith(ANY_MODEL)) {
            byBeginning.put(model.substring(0, model.length() - 1), set);
        } else {
            byModel.put(model, set);
        }
    }

    private void refreshNames() {
        List<ReplicaSet> named = sets.values().stream().filter(ReplicaSet::hasNames).toList();
        if (named.isEmpty()) {
            return;
        }
        var _ =
                timers.scheduleWithFixedDelay(
                        () ->
                                Thread.ofVirtual()
                                        .name("inference-names")
                                        .start(() -> named.forEach(ReplicaSet::refresh)),
                        REFRESH_SECONDS,
                        REFRESH_SECONDS,
                        TimeUnit.SECONDS);
    }

    /** gRPC by itself tries a backend that is away ever more rarely, up to every two minutes. */
    private void reconnect() {
        var _ =
                timers.scheduleWithFixedDelay(
                        () -> sets.values().forEach(set -> set.all().forEach(Replica::reconnect)),
                        RECONNECT_SECONDS,
                        RECONNECT_SECONDS,
                        TimeUnit.SECONDS);
    }

    private void refreshFiles() {
        if (tls.isWatching()) {
            var _ =
                    timers.scheduleWithFixedDelay(
                            this::refreshTls,
                            FILES_REFRESH_SECONDS,
                            FILES_REFRESH_SECONDS,
                            TimeUnit.SECONDS);
        }
    }

    /** Looks soon whether files of certificates have changed. */
    public void refreshTls() {
        Thread.ofVirtual().name("inference-certificates").start(this::refreshTlsNow);
    }

    /** The same on this thread. */
    void refreshTlsNow() {
        tls.refresh();
    }

    private Replica.Connection connect(
            HostPort target, InetSocketAddress address, StreamThreads threads) {
        StreamThread thread = threads.next();
        ManagedChannelBuilder<?> channel =
                channels == null ? http2(address, threads, thread) : channels.to(address);
        return new Replica.Connection(build(channel, target), thread);
    }

    private ManagedChannel build(ManagedChannelBuilder<?> channel, HostPort target) {
        return channel.overrideAuthority(target.toString())
                .intercept(spans)
                // Listeners of ours never block, so no thread hop.
                .directExecutor()
                // Streams that break are opened anew by what owns them; to have gRPC prepared for
                // it, too, costs a layer of locks for every message.
                .disableRetry()
                .maxInboundMessageSize(MAX_READ_BYTES)
                .keepAliveTime(settings.keepalive().toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(settings.keepaliveTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .idleTimeout(30, TimeUnit.DAYS)
                .build();
    }

    private ManagedChannelBuilder<?> http2(
            InetSocketAddress address, StreamThreads threads, StreamThread thread) {
        return NettyChannelBuilder.forAddress(address, tls.credentials())
                .eventLoopGroup(thread.eventLoop())
                .channelType(threads.channelType())
                .flowControlWindow(STREAM_WINDOW_BYTES);
    }

    /** Has the input audio leave that calls have sent since the last time; any thread. */
    public void flush() {
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).flush();
        }
    }

    /** What is counted of audio in all calls. */
    AudioCounters counters() {
        return audio;
    }

    /** Decides which calls are kept. */
    CallTape.Source tapes() {
        return tapes;
    }

    /** What is counted of streams in all calls. */
    public LinkCounters links() {
        return links;
    }

    /** The clock of {@link #timers}. */
    LongSupplier clock() {
        return System::nanoTime;
    }

    BackendSettings settings() {
        return settings;
    }

    ScheduledExecutorService timers() {
        return timers;
    }

    /** Whether a model can be served. */
    public boolean serves(String model) {
        return find(model) != null;
    }

    /**
     * Who serves a model.
     *
     * @throws IllegalArgumentException when nobody does
     */
    ReplicaSet replicas(SessionStart start) {
        ReplicaSet found = find(start.getModel());
        if (found == null) {
            throw new IllegalArgumentException("no backend for model " + start.getModel());
        }
        return found;
    }

    /** The entry of that name, else the one with the longest beginning of it. */
    private @Nullable ReplicaSet find(String model) {
        ReplicaSet own = byModel.get(model);
        if (own != null) {
            return own;
        }
        for (Map.Entry<String, ReplicaSet> each : byBeginning.entrySet()) {
            if (model.startsWith(each.getKey())) {
                return each.getValue();
            }
        }
        return null;
    }

    /** Breaks off what streams are left, after a short time to end well. */
    @Override
    public void close() {
        List<Replica> left = sets.values().stream().flatMap(s -> s.close().stream()).toList();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            for (Replica replica : left) {
                replica.channel()
                        .awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                replica.channel().shutdownNow();
            }
        } catch (InterruptedException e) {
            left.forEach(replica -> replica.channel().shutdownNow());
            Thread.currentThread().interrupt();
        }
        timers.shutdownNow();
        threads.forEach(StreamThreads::close);
    }
}
