package dev.parley.transceiver.realtime;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Counts the Realtime events of all calls of a process. Any thread writes and reads. */
public final class RealtimeCounters {
    private final Map<ClientEventType, LongAdder> taken = adders(ClientEventType.class);
    private final Map<ErrorCode, LongAdder> errors = adders(ErrorCode.class);

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> type) {
        Map<E, LongAdder> adders = new EnumMap<>(type);
        for (E each : type.getEnumConstants()) {
            adders.put(each, new LongAdder());
        }
        return adders;
    }

    void taken(ClientEventType type) {
        count(taken, type);
    }

    void error(ErrorCode code) {
        count(errors, code);
    }

    private static <E> void count(Map<E, LongAdder> adders, E key) {
        LongAdder adder = adders.get(key);
        if (adder != null) {
            adder.increment();
        }
    }

    /** One metric series per type of client event. */
    public Map<String, LongSupplier> events() {
        return series(taken, ClientEventType::type);
    }

    /** One metric series per code of the errors that clients were told. */
    public Map<String, LongSupplier> errors() {
        return series(errors, ErrorCode::code);
    }

    private static <E> Map<String, LongSupplier> series(
            Map<E, LongAdder> adders, Function<E, String> names) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        adders.forEach((key, adder) -> series.put(names.apply(key), adder::sum));
        return series;
    }
}
