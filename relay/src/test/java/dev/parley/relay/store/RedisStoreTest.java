package dev.parley.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.HostPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store in a real Redis, and what becomes of it when Redis does as it likes. */
class RedisStoreTest {
    private static final String KEY = "parley:flow:0.0.0.2:3478<0.0.0.1:7";
    private static final StoredRoute ROUTE = route(5);
    private static final StoredRoute OTHER = route(6);
    private static final String VALUE =
            "1 10.0.0.3:7200 cluster 4 session 00000000000000050000000000000006 by ";
    private static final Duration LIFE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path folder;
    private RedisServer redis;
    private final Semaphore wakeups = new Semaphore(0);
    private final Telemetry telemetry = Telemetry.none();

    private static StoredRoute route(long session) {
        return new StoredRoute(0, 0xFFFF_0A00_0003L, 7200, 4, session, 6);
    }

    @BeforeEach
    void start() {
        redis = RedisServer.start(folder);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private FlowStore store(HostPort address) {
        FlowStore store =
                FlowStore.redis(
                        new RedisSettings(
                                RedisMode.STANDALONE,
                                List.of(address),
                                "",
                                false,
                                "",
                                "",
                                "",
                                "",
                                0,
                                Duration.ofSeconds(1),
                                "parley:flow:"),
                        new StoreSettings(LIFE));
        store.register(telemetry);
        return store;
    }

    private StoreLane open(FlowStore store) {
        StoreLane lane = store.open(wakeups::release);
        await(lane::isAvailable);
        return lane;
    }

    private static void await(BooleanSupplier until) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!until.getAsBoolean()) {
            assertThat(deadline - System.nanoTime()).as("patience").isPositive();
            Thread.onSpinWait();
        }
    }

    private static void ask(StoreLane lane, StoreLane.Kind kind, StoredRoute route) {
        assertThat(lane.begin(kind, 3)).isTrue();
        lane.client(0, 0xFFFF_0000_0001L, 7)
                .publicAddress(0, 0xFFFF_0000_0002L, 3478)
                .transceiver(
                        route.transceiverHigh(),
                        route.transceiverLow(),
                        route.transceiverPort(),
                        route.clusterId())
                .session(route.sessionHigh(), route.sessionLow())
                .commit();
    }

    private StoreAnswer read(StoreLane lane) {
        ask(lane, StoreLane.Kind.READ, ROUTE);
        try {
            assertThat(wakeups.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return Objects.requireNonNull(lane.pollAnswer(3));
    }

    private long count(String event) {
        String name = "parley.relay.store.events{event=" + event + "}";
        return telemetry.snapshot().getOrDefault(name, 0L);
    }

    private void awaitCount(String event, long count) {
        await(() -> count(event) == count);
    }

    @Test
    void oneRelayFindsWhatAnotherHasWritten() {
        try (FlowStore first = store(redis.address());
                FlowStore second = store(redis.address())) {
            StoreLane writing = open(first);
            StoreLane reading = open(second);
            assertThat(read(reading)).isEqualTo(StoreAnswer.Miss.ABSENT);
            ask(writing, StoreLane.Kind.WRITE, ROUTE);
            await(() -> redis.command("EXISTS", KEY).equals(":1\r\n"));
            assertThat(read(reading)).isEqualTo(ROUTE);
            assertThat(redis.command("GET", KEY)).contains(VALUE);
            assertThat(redis.command("PTTL", KEY)).matches(":(59|60)\\d\\d\\d\r\n");
        }
    }

    @Test
    void aRefreshLeavesAnotherRouteAlone() {
        try (FlowStore store = store(redis.address())) {
            StoreLane lane = open(store);
            ask(lane, StoreLane.Kind.REFRESH, ROUTE);
            awaitCount("written", 1);
            assertThat(read(lane)).as("made when missing").isEqualTo(ROUTE);
            redis.command("PEXPIRE", KEY, "5000");
            ask(lane, StoreLane.Kind.REFRESH, ROUTE);
            awaitCount("written", 2);
            assertThat(redis.command("PTTL", KEY)).matches(":(59|60)\\d\\d\\d\r\n");
            ask(lane, StoreLane.Kind.REFRESH, OTHER);
            awaitCount("superseded", 1);
            assertThat(read(lane)).isEqualTo(ROUTE);
            ask(lane, StoreLane.Kind.WRITE, OTHER);
            awaitCount("written", 3);
            assertThat(read(lane)).as("a client's proof wins").isEqualTo(OTHER);
        }
    }

    @Test
    void aRelayRemovesOnlyWhatItWroteLast() {
        FlowStore first = store(redis.address());
        try (first;
                FlowStore second = store(redis.address())) {
            StoreLane old = open(first);
            StoreLane current = open(second);
            ask(old, StoreLane.Kind.WRITE, ROUTE);
            await(() -> redis.command("EXISTS", KEY).equals(":1\r\n"));
            String written = redis.command("GET", KEY);
            ask(current, StoreLane.Kind.REFRESH, ROUTE);
            await(() -> !redis.command("GET", KEY).equals(written));
            ask(old, StoreLane.Kind.REMOVE, ROUTE);
            assertThat(read(old)).as("another relay serves the client now").isEqualTo(ROUTE);
            ask(current, StoreLane.Kind.REMOVE, ROUTE);
            await(() -> redis.command("EXISTS", KEY).equals(":0\r\n"));
        }
    }

    @Test
    void whatIsNoRouteIsUnusableHoweverBigItIs() {
        try (FlowStore store = store(redis.address())) {
            StoreLane lane = open(store);
            redis.command("SET", KEY, "x".repeat(60_000));
            assertThat(read(lane)).isEqualTo(StoreAnswer.Miss.UNUSABLE);
            redis.command("DEL", KEY);
            redis.command("LPUSH", KEY, "no", "text");
            assertThat(read(lane)).isEqualTo(StoreAnswer.Miss.UNUSABLE);
            redis.command("DEL", KEY);
            redis.command("SET", KEY, "\u0000\u00ff\r\n");
            assertThat(read(lane)).isEqualTo(StoreAnswer.Miss.UNUSABLE);
            assertThat(lane.isAvailable()).isTrue();
        }
    }

    @Test
    void comesBackByItselfAfterRedisWasAway() {
        try (FlowStore store = store(redis.address())) {
            StoreLane lane = open(store);
            ask(lane, StoreLane.Kind.WRITE, ROUTE);
            awaitCount("written", 1);
            redis.kill();
            await(() -> !lane.isAvailable());
            assertThat(store.findProblem()).contains("connection lost");
            redis.startAgain();
            await(lane::isAvailable);
            assertThat(store.findProblem()).isNull();
            assertThat(read(lane)).as("it came back empty").isEqualTo(StoreAnswer.Miss.ABSENT);
            ask(lane, StoreLane.Kind.REFRESH, ROUTE);
            awaitCount("written", 2);
            assertThat(read(lane)).isEqualTo(ROUTE);
        }
    }

    @Test
    void startsWithoutRedisAndConnectsWhenItComes() {
        redis.kill();
        try (FlowStore store = store(redis.address())) {
            StoreLane lane = store.open(wakeups::release);
            await(() -> count("connect_failed") > 0);
            assertThat(lane.isAvailable()).isFalse();
            assertThat(store.findProblem()).contains("Connection refused");
            redis.startAgain();
            await(lane::isAvailable);
            assertThat(read(lane)).isEqualTo(StoreAnswer.Miss.ABSENT);
        }
    }

    @Test
    void aFullRedisRefusesWritesAndStillAnswersReads() {
        try (FlowStore store = store(redis.address())) {
            StoreLane lane = open(store);
            ask(lane, StoreLane.Kind.WRITE, ROUTE);
            awaitCount("written", 1);
            redis.command("CONFIG", "SET", "maxmemory", "1");
            ask(lane, StoreLane.Kind.WRITE, OTHER);
            awaitCount("write_failed", 1);
            assertThat(store.findProblem()).contains("refuses writes").contains("OOM");
            assertThat(read(lane)).isEqualTo(ROUTE);
            assertThat(lane.isAvailable()).isTrue();
            redis.command("CONFIG", "SET", "maxmemory", "0");
            ask(lane, StoreLane.Kind.WRITE, OTHER);
            awaitCount("written", 2);
            assertThat(store.findProblem()).isNull();
        }
    }
}
