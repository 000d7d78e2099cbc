package dev.parley.transceiver.media;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts dropped and repaired audio of all calls of a process. Any thread writes and reads. */
public final class AudioCounters {
    private final LongAdder[] counts = new LongAdder[AudioDrop.values().length];

    private final LongAdder[] repairs = new LongAdder[InputRepair.values().length];

    public AudioCounters() {
        Arrays.setAll(counts, _ -> new LongAdder());
        Arrays.setAll(repairs, _ -> new LongAdder());
    }

    public void increment(AudioDrop drop) {
        counts[drop.ordinal()].increment();
    }

    public long count(AudioDrop drop) {
        return counts[drop.ordinal()].sum();
    }

    public void increment(InputRepair repair) {
        repairs[repair.ordinal()].increment();
    }

    public long count(InputRepair repair) {
        return repairs[repair.ordinal()].sum();
    }

    /** One metric series per reason. */
    public Map<String, LongSupplier> series() {
        return series(AudioDrop.values(), counts);
    }

    /** One metric series per kind of repair, in input packets. */
    public Map<String, LongSupplier> repairs() {
        return series(InputRepair.values(), repairs);
    }

    private static Map<String, LongSupplier> series(Enum<?>[] names, LongAdder[] adders) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (Enum<?> name : names) {
            series.put(name.name().toLowerCase(Locale.ROOT), adders[name.ordinal()]::sum);
        }
        return series;
    }
}
