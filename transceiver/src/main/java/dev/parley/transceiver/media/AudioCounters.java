package dev.parley.transceiver.media;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts dropped audio of all calls of a process. Any thread writes and reads. */
public final class AudioCounters {
    private final LongAdder[] counts = new LongAdder[AudioDrop.values().length];

    public AudioCounters() {
        for (AudioDrop drop : AudioDrop.values()) {
            counts[drop.ordinal()] = new LongAdder();
        }
    }

    public void increment(AudioDrop drop) {
        counts[drop.ordinal()].increment();
    }

    public long count(AudioDrop drop) {
        return counts[drop.ordinal()].sum();
    }

    /** One metric series per reason. */
    public Map<String, LongSupplier> series() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (AudioDrop drop : AudioDrop.values()) {
            series.put(drop.name().toLowerCase(Locale.ROOT), () -> count(drop));
        }
        return series;
    }
}
