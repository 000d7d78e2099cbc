package dev.parley.relay.store;

import dev.parley.otel.Telemetry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Remembers flows where other relays, and the next run of this one, find them. It helps to take up
 * flows sooner and nothing else: no call depends on it. Owned by the relay.
 */
public interface FlowStore extends AutoCloseable {
    /**
     * A line for one worker.
     *
     * @param wakeUp called by any thread when an answer waits in the line
     */
    StoreLane open(Runnable wakeUp);

    /**
     * Waits until the first attempt to reach it has succeeded or failed, and rehearses reading, or
     * until the time is up: nothing depends on it. A relay that follows a killed one reads with its
     * very first packets, which must not wait for connecting or for classes to load.
     */
    default void prepare(Duration patience) {}

    /** What is wrong with it, for people; null for nothing. */
    @Nullable String findProblem();

    /** Registers what it counts. */
    void register(Telemetry telemetry);

    @Override
    void close();

    /** Remembers nothing. */
    static FlowStore none() {
        return new FlowStore() {
            @Override
            public StoreLane open(Runnable wakeUp) {
                return StoreLane.closed();
            }

            @Override
            public @Nullable String findProblem() {
                return null;
            }

            @Override
            public void register(Telemetry telemetry) {}

            @Override
            public void close() {}
        };
    }

    /** Remembers in Redis, which may come and go. */
    static FlowStore redis(RedisSettings redis, StoreSettings settings) {
        StoreCounters counters = new StoreCounters();
        return new StorePump(new RedisBackend(redis, settings.timeToLive(), counters), counters);
    }

    /** Remembers within this process. */
    static FlowStore inMemory(StoreSettings settings) {
        StoreCounters counters = new StoreCounters();
        return new StorePump(
                new MemoryBackend(settings.timeToLive(), System::nanoTime, counters), counters);
    }
}
