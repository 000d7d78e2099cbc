package dev.parley.transceiver.control;

import dev.parley.transceiver.media.CallQuality;
import dev.parley.transceiver.media.CallSummary;
import dev.parley.transceiver.session.SessionSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of this process as rows for people. Any thread may ask; it waits a little. */
public final class CallRows implements Supplier<List<Map<String, Object>>> {
    private static final int MAX_ROWS = 200;
    private static final long PATIENCE_MILLIS = 200;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Calls calls;

    public CallRows(Calls calls) {
        this.calls = calls;
    }

    @Override
    public List<Map<String, Object>> get() {
        return calls.all().stream().limit(MAX_ROWS).map(CallRows::row).toList();
    }

    private static Map<String, Object> row(Calls.Call call) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("call", call.session().id().toString());
        call.session().phases().observer().describe(row);
        SessionSnapshot now = snapshot(call);
        if (now != null) {
            row.put("state", now.state().name().toLowerCase(Locale.ROOT));
            row.put("seconds", now.ageNanos() / 1_000_000_000L);
            row.put("received", now.received());
            row.put("sent", now.sent());
            row.put("lost", now.lost());
            row.put(
                    "rtt_ms",
                    now.roundTripNanos() < 0 ? "" : now.roundTripNanos() / NANOS_PER_MILLI);
            row.put("jitter_ms", now.jitterNanos() / NANOS_PER_MILLI);
            CallSummary quality = now.quality();
            row.put("in_mos", quality == null ? "" : score(quality.input()));
            row.put("out_mos", quality == null ? "" : score(quality.output()));
            row.put("data", now.data() == null ? "" : now.data().toString());
        }
        return row;
    }

    private static Object score(CallQuality.@Nullable Summary side) {
        return side == null ? "" : String.format(Locale.ROOT, "%.2f", side.meanOpinionScore());
    }

    private static @Nullable SessionSnapshot snapshot(Calls.Call call) {
        try {
            return call.loop().describe(call.session()).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException | TimeoutException e) {
            return null;
        }
    }
}
