package dev.parley.transceiver.recording;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts what happens to the recordings of a process. Any thread writes and reads. */
public final class RecordingCounters {
    private final LongAdder[] counts = new LongAdder[RecordingEvent.values().length];

    public RecordingCounters() {
        Arrays.setAll(counts, _ -> new LongAdder());
    }

    void increment(RecordingEvent event) {
        counts[event.ordinal()].increment();
    }

    public long count(RecordingEvent event) {
        return counts[event.ordinal()].sum();
    }

    /** One metric series per event. */
    public Map<String, LongSupplier> series() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (RecordingEvent event : RecordingEvent.values()) {
            series.put(event.name().toLowerCase(Locale.ROOT), counts[event.ordinal()]::sum);
        }
        return series;
    }
}
