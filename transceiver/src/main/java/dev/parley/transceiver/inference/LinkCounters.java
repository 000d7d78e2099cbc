package dev.parley.transceiver.inference;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts what happens to the streams of all calls of a process. Any thread writes and reads. */
public final class LinkCounters {
    private final LongAdder[] counts = new LongAdder[LinkEvent.values().length];

    public LinkCounters() {
        Arrays.setAll(counts, _ -> new LongAdder());
    }

    void increment(LinkEvent event) {
        counts[event.ordinal()].increment();
    }

    public long count(LinkEvent event) {
        return counts[event.ordinal()].sum();
    }

    /** One metric series per event. */
    public Map<String, LongSupplier> series() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (LinkEvent event : LinkEvent.values()) {
            series.put(event.name().toLowerCase(Locale.ROOT), counts[event.ordinal()]::sum);
        }
        return series;
    }
}
