package dev.parley.relay.store;

import dev.parley.relay.store.StoreCounters.Event;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries in Redis. Writing follows what {@link StoreBackend} says: a client's proof overwrites,
 * all else compares first, so neither clocks nor the order in which relays write can bring an old
 * route back for long. The pump's thread sends commands, Lettuce's threads bring the answers.
 *
 * <p>While Redis is away or does not answer, nothing is sent but, now and then, a probe.
 */
final class RedisBackend implements StoreBackend {
    private static final System.Logger LOG = System.getLogger(RedisBackend.class.getName());

    /** Commands in a row without an answer after which Redis counts as away. */
    private static final int MAX_SILENT = 16;

    /**
     * Bytes read of a value: more than any of ours has, little whatever somebody else put there.
     */
    private static final long MAX_VALUE = 255;

    private static final StoredRoute PRACTICE = new StoredRoute(0, 0xFFFF_7F00_0001L, 9, 0, 0, 0);
    private static final String NOT_YET = "not connected yet";
    private static final long PROBE_NANOS = Duration.ofMillis(250).toNanos();
    private static final int RETRY_MIN_MILLIS = 200;
    private static final int RETRY_MAX_MILLIS = 1_500;

    private final RedisSettings settings;
    private final StoreCounters counters;
    private final RedisLink link;
    private final SetArgs life;
    private final String lifeMillis;
    private final String writer = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    private final AtomicInteger silent = new AtomicInteger();

    private volatile RedisLink.@Nullable Connection connection;
    private volatile String reason = NOT_YET;
    private volatile @Nullable String refusal;
    private volatile boolean connecting;
    private volatile boolean closed;
    private @Nullable String told = NOT_YET;
    private long nextTryNanos = System.nanoTime();

    RedisBackend(RedisSettings settings, Duration timeToLive, StoreCounters counters) {
        this.settings = settings;
        this.counters = counters;
        this.life = SetArgs.Builder.px(timeToLive.toMillis());
        this.lifeMillis = Long.toString(timeToLive.toMillis());
        this.link = new RedisLink(settings);
    }

    @Override
    public void read(FlowKey key, Consumer<StoreAnswer> answer) {
        RedisLink.Connection open = connection;
        if (open == null) {
            counters.increment(Event.READ_FAILED);
            answer.accept(StoreAnswer.Miss.FAILED);
            return;
        }
        var _ =
                open.commands()
                        .getrange(FlowText.key(settings.keyPrefix(), key), 0, MAX_VALUE)
                        .whenComplete((value, failed) -> answer.accept(answered(value, failed)));
    }

    private StoreAnswer answered(@Nullable String value, @Nullable Throwable failed) {
        if (failed != null) {
            return unanswered(failed);
        }
        silent.set(0);
        if (value == null || value.isEmpty()) {
            counters.increment(Event.READ_ABSENT);
            return StoreAnswer.Miss.ABSENT;
        }
        StoredRoute route = FlowText.parse(value);
        counters.increment(route == null ? Event.READ_UNUSABLE : Event.READ_FOUND);
        return route == null ? StoreAnswer.Miss.UNUSABLE : route;
    }

    private StoreAnswer unanswered(Throwable failed) {
        // Somebody else's key of another type is no better the next time.
        String message = failure(failed);
        if (message.startsWith("WRONGTYPE")) {
            counters.increment(Event.READ_UNUSABLE);
            return StoreAnswer.Miss.UNUSABLE;
        }
        counters.increment(Event.READ_FAILED);
        return StoreAnswer.Miss.FAILED;
    }

    @Override
    public void write(FlowKey key, StoredRoute route) {
        RedisLink.Connection open = connection;
        if (open == null) {
            counters.increment(Event.WRITE_FAILED);
            return;
        }
        String value = FlowText.route(route) + writer;
        done(
                open.commands().set(FlowText.key(settings.keyPrefix(), key), value, life),
                Event.WRITTEN,
                Event.WRITTEN);
    }

    @Override
    public void refresh(FlowKey key, StoredRoute route) {
        String text = FlowText.route(route);
        script(
                RedisScripts.REFRESH,
                key,
                Event.WRITTEN,
                Event.SUPERSEDED,
                text + writer,
                text,
                lifeMillis);
    }

    @Override
    public void remove(FlowKey key, StoredRoute route) {
        script(
                RedisScripts.REMOVE,
                key,
                Event.REMOVED,
                Event.SUPERSEDED,
                FlowText.route(route) + writer);
    }

    private void script(
            String script, FlowKey key, Event changed, Event unchanged, String... arguments) {
        RedisLink.Connection open = connection;
        if (open == null) {
            counters.increment(Event.WRITE_FAILED);
            return;
        }
        String[] keys = {FlowText.key(settings.keyPrefix(), key)};
        done(
                open.commands().<Long>eval(script, ScriptOutputType.INTEGER, keys, arguments),
                changed,
                unchanged);
    }

    private void done(RedisFuture<?> future, Event changed, Event unchanged) {
        var _ =
                future.whenComplete(
                        (result, failed) -> {
                            if (failed == null) {
                                silent.set(0);
                                refusal = null;
                                counters.increment(
                                        Long.valueOf(0).equals(result) ? unchanged : changed);
                            } else {
                                refuse(failure(failed));
                                counters.increment(Event.WRITE_FAILED);
                            }
                        });
    }

    private void refuse(String message) {
        if (refusal == null) {
            LOG.log(System.Logger.Level.WARNING, "{0} refuses writes: {1}", settings, message);
        }
        refusal = message;
    }

    /** Notes a failure; answers what it says. */
    private String failure(Throwable failed) {
        Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
        String message = cause == null ? "unknown" : String.valueOf(cause.getMessage());
        if (cause instanceof RedisReadOnlyException || message.startsWith("READONLY")) {
            // The master of yesterday: look for today's.
            drop(message);
        } else if (cause instanceof RedisCommandExecutionException) {
            silent.set(0);
        } else {
            silent.incrementAndGet();
        }
        return message;
    }

    private void drop(String why) {
        RedisLink.Connection open = connection;
        if (open != null) {
            connection = null;
            reason = why;
            counters.increment(Event.CONNECTION_DROPPED);
            open.close();
        }
    }

    @Override
    public void flush() {
        RedisLink.Connection open = connection;
        if (open != null) {
            open.flush();
        }
        maintain(System.nanoTime());
    }

    private void maintain(long nowNanos) {
        tellChanges();
        if (closed || nextTryNanos - nowNanos > 0) {
            return;
        }
        RedisLink.Connection open = connection;
        if (open == null && !connecting) {
            nextTryNanos = nowNanos + retryNanos();
            connect();
        } else if (open != null && silent.get() >= MAX_SILENT) {
            nextTryNanos = nowNanos + PROBE_NANOS;
            var _ = open.commands().ping().whenComplete(this::probed);
            open.flush();
        }
    }

    // Many relays that lost one Redis must not come back in step.
    private static long retryNanos() {
        return Duration.ofMillis(
                        ThreadLocalRandom.current().nextInt(RETRY_MIN_MILLIS, RETRY_MAX_MILLIS))
                .toNanos();
    }

    private void connect() {
        connecting = true;
        var _ =
                link.connect()
                        .thenCompose(this::practise)
                        .whenComplete(
                                (made, failed) -> {
                                    if (failed != null) {
                                        counters.increment(Event.CONNECT_FAILED);
                                        reason = rootMessage(failed);
                                    } else if (closed) {
                                        made.close();
                                    } else {
                                        silent.set(0);
                                        connection = made;
                                    }
                                    connecting = false;
                                });
    }

    // The first read of a restarted relay is in a hurry: it must not wait for classes to load.
    private CompletionStage<RedisLink.Connection> practise(RedisLink.Connection made) {
        CompletionStage<String> read =
                made.commands().getrange(settings.keyPrefix() + "practice", 0, MAX_VALUE);
        made.gather();
        // What the answer to a read takes, up to the route.
        var _ = FlowText.parse(FlowText.route(PRACTICE) + writer);
        return read.handle((_, _) -> made);
    }

    private static String rootMessage(Throwable failed) {
        Throwable root = failed;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    private void probed(@Nullable String answer, @Nullable Throwable failed) {
        if (failed == null) {
            silent.set(0);
        } else {
            var _ = failure(failed);
        }
    }

    private void tellChanges() {
        String problem = findAbsence();
        if (problem == null && told != null) {
            LOG.log(System.Logger.Level.INFO, "{0} answers", settings);
        } else if (problem != null && (told == null || told.equals(NOT_YET))) {
            if (problem.equals(NOT_YET)) {
                return;
            }
            LOG.log(System.Logger.Level.WARNING, "{0}: {1}", settings, problem);
        }
        told = problem;
    }

    private @Nullable String findAbsence() {
        RedisLink.Connection open = connection;
        if (open == null) {
            return reason;
        }
        if (settings.mode() != RedisMode.CLUSTER && !open.connection().isOpen()) {
            return "connection lost";
        }
        return silent.get() >= MAX_SILENT ? "does not answer in time" : null;
    }

    @Override
    public boolean isConnecting() {
        return connection == null && reason.equals(NOT_YET);
    }

    @Override
    public boolean isAvailable() {
        return findAbsence() == null;
    }

    @Override
    public @Nullable String findProblem() {
        String absence = findAbsence();
        if (absence != null) {
            return settings + ": " + absence;
        }
        String refused = refusal;
        return refused == null ? null : settings + " refuses writes: " + refused;
    }

    @Override
    public void close() {
        closed = true;
        link.close();
    }
}
