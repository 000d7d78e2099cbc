package dev.parley.relay.store;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What a store has done so far. Any thread writes and reads. */
final class StoreCounters {
    /** Closed set of events. */
    enum Event {
        /** A read that found a route. */
        READ_FOUND,
        /** A read that found nothing. */
        READ_ABSENT,
        /** A read that was not answered in time, or with an error. */
        READ_FAILED,
        /** A read that found something that is no route. */
        READ_UNUSABLE,
        /** An entry written or refreshed. */
        WRITTEN,
        /** A refresh that found another relay's newer entry and left it. */
        SUPERSEDED,
        /** An entry removed because its flow has expired. */
        REMOVED,
        /** A write, refresh or removal that was not answered in time, or with an error. */
        WRITE_FAILED,
        /** An attempt to connect that failed. */
        CONNECT_FAILED,
        /** A connection that was given up, to be made anew. */
        CONNECTION_DROPPED
    }

    private final LongAdder[] counts = new LongAdder[Event.values().length];

    StoreCounters() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void increment(Event event) {
        counts[event.ordinal()].increment();
    }

    long count(Event event) {
        return counts[event.ordinal()].sum();
    }

    void register(Telemetry telemetry) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (Event event : Event.values()) {
            series.put(event.name().toLowerCase(Locale.ROOT), () -> count(event));
        }
        telemetry.counters(Metric.RELAY_STORE_EVENTS, series);
    }
}
