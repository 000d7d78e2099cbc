package dev.parley.otel.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The spans of the calls that this process has seen lately, sampled or not, those under way
 * included. Bounded in calls and in spans of one call. Any thread may use it.
 */
public final class RecentCalls implements SpanProcessor {
    /** Spans of one call that are kept: of those that come later only the number. */
    static final int MAX_SPANS = 1_000;

    private final int maxCalls;
    private final SequencedMap<String, List<ReadableSpan>> calls = new LinkedHashMap<>();

    /** Keeps so many calls. */
    public RecentCalls(int maxCalls) {
        this.maxCalls = maxCalls;
    }

    @Override
    public void onStart(Context context, ReadWriteSpan span) {
        String call = span.getSpanContext().getTraceId();
        synchronized (calls) {
            List<ReadableSpan> spans = calls.get(call);
            if (spans == null) {
                spans = new ArrayList<>();
            }
            // The call that was touched last leaves last.
            calls.putLast(call, spans);
            if (spans.size() < MAX_SPANS) {
                spans.add(span);
            }
            if (calls.size() > maxCalls) {
                calls.pollFirstEntry();
            }
        }
    }

    @Override
    public boolean isStartRequired() {
        return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
        return false;
    }

    /** Ids of the calls, the one touched last first. */
    public List<String> ids() {
        synchronized (calls) {
            return List.copyOf(calls.sequencedKeySet().reversed());
        }
    }

    /** A call's spans in the order in which they began to be recorded; empty when it is unknown. */
    public List<SpanData> spans(String call) {
        List<ReadableSpan> spans;
        synchronized (calls) {
            spans = List.copyOf(calls.getOrDefault(call, List.of()));
        }
        return spans.stream().map(ReadableSpan::toSpanData).toList();
    }

    /** All that is known. */
    Map<String, List<SpanData>> all() {
        Map<String, List<SpanData>> all = new LinkedHashMap<>();
        ids().forEach(id -> all.put(id, spans(id)));
        return all;
    }
}
