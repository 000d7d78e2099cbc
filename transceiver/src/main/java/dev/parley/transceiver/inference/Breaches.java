package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.MessageRejected;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells the backend of one call what it does wrong, each thing at most once a second, and the log
 * the first time. Owned by the call's link; any thread may enter.
 */
final class Breaches {
    private static final System.Logger LOGGER = System.getLogger(Breaches.class.getPackageName());
    private static final long INTERVAL_NANOS = 1_000_000_000L;

    private final String sessionId;
    private final Consumer<ConverseRequest> sink;
    private final LongSupplier clock;
    private final Map<Breach, Told> told = new EnumMap<>(Breach.class);

    /** When one kind was told last, and how often it has happened since. */
    private static final class Told {
        private long nanos;
        private int count;
    }

    /**
     * @param sink takes messages for the backend
     */
    Breaches(String sessionId, Consumer<ConverseRequest> sink, LongSupplier clock) {
        this.sessionId = sessionId;
        this.sink = sink;
        this.clock = clock;
    }

    /**
     * A message broke the contract and is dropped.
     *
     * @param why a whole sentence for the backend's developer
     */
    void tell(Breach kind, String why) {
        int count = count(kind, why);
        if (count > 0) {
            sink.accept(
                    ConverseRequest.newBuilder()
                            .setMessageRejected(
                                    MessageRejected.newBuilder()
                                            .setCode(kind.code())
                                            .setMessage(why)
                                            .setCount(count))
                            .build());
        }
    }

    /** A message is longer than any may be. */
    void tooLong(ConverseResponse message, int bytes) {
        tell(
                Breach.MESSAGE_TOO_LONG,
                OutputIntake.name(message)
                        + " has "
                        + bytes
                        + " bytes; "
                        + Backends.MAX_MESSAGE_BYTES
                        + " are the most");
    }

    /** How many there are to tell of now; 0 when it is too soon. */
    private synchronized int count(Breach kind, String why) {
        long now = clock.getAsLong();
        Told last = told.get(kind);
        boolean first = last == null;
        if (last == null) {
            last = new Told();
            told.put(kind, last);
            LOGGER.log(
                    Level.INFO,
                    "session={0} a message of the backend was dropped ({1}): {2}",
                    sessionId,
                    kind.code(),
                    why);
        }
        last.count++;
        if (!first && now - last.nanos < INTERVAL_NANOS) {
            return 0;
        }
        int count = last.count;
        last.nanos = now;
        last.count = 0;
        return count;
    }
}
