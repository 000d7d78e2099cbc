package dev.parley.relay.store;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Entries in this process's memory, bounded in number. Owned by the pump's thread. */
final class MemoryBackend implements StoreBackend {
    private static final int MAX_ENTRIES = 100_000;

    /** With each that is written; the rest goes with those that follow. */
    private static final int MOST_REMOVED = 64;

    private record Entry(StoredRoute route, long expiresNanos) {}

    private final long timeToLiveNanos;
    private final LongSupplier clock;
    private final StoreCounters counters;
    private final Map<FlowKey, Entry> entries = new LinkedHashMap<>();

    MemoryBackend(Duration timeToLive, LongSupplier clock, StoreCounters counters) {
        this.timeToLiveNanos = timeToLive.toNanos();
        this.clock = clock;
        this.counters = counters;
    }

    @Override
    public void read(FlowKey key, Consumer<StoreAnswer> answer) {
        StoredRoute route = find(key);
        counters.increment(
                route == null ? StoreCounters.Event.READ_ABSENT : StoreCounters.Event.READ_FOUND);
        answer.accept(route == null ? StoreAnswer.Miss.ABSENT : route);
    }

    private @Nullable StoredRoute find(FlowKey key) {
        Entry entry = entries.get(key);
        return entry == null || hasExpired(entry) ? null : entry.route();
    }

    @Override
    public void write(FlowKey key, StoredRoute route) {
        // Entries written last stand last and expire last, so the first are those to make room.
        entries.remove(key);
        Iterator<Entry> oldest = entries.values().iterator();
        for (int i = 0; i < MOST_REMOVED && oldest.hasNext() && makesRoom(oldest.next()); i++) {
            oldest.remove();
        }
        entries.put(key, new Entry(route, clock.getAsLong() + timeToLiveNanos));
        counters.increment(StoreCounters.Event.WRITTEN);
    }

    /** Entries that are kept, those included that have expired since the last one was written. */
    int size() {
        return entries.size();
    }

    private boolean makesRoom(Entry oldest) {
        return entries.size() >= MAX_ENTRIES || hasExpired(oldest);
    }

    private boolean hasExpired(Entry entry) {
        return entry.expiresNanos() - clock.getAsLong() <= 0;
    }

    @Override
    public void refresh(FlowKey key, StoredRoute route) {
        StoredRoute stored = find(key);
        if (stored == null || stored.equals(route)) {
            write(key, route);
        } else {
            counters.increment(StoreCounters.Event.SUPERSEDED);
        }
    }

    @Override
    public void remove(FlowKey key, StoredRoute route) {
        if (route.equals(find(key))) {
            entries.remove(key);
            counters.increment(StoreCounters.Event.REMOVED);
        }
    }

    @Override
    public void flush() {}

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public @Nullable String findProblem() {
        return null;
    }

    @Override
    public void close() {}
}
