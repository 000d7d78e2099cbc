package dev.parley.transceiver.trace;

import dev.parley.otel.Attribute;
import dev.parley.transceiver.media.CallSummary;
import dev.parley.transceiver.session.SessionSnapshot;
import io.opentelemetry.api.trace.Span;

/** What a call has come to, as attributes of its span. */
final class QualitySummary {
    private static final double NANOS_PER_MILLI = 1e6;

    private QualitySummary() {}

    static void put(SessionSnapshot last, Span span) {
        span.setAttribute(Attribute.PACKETS_RECEIVED, last.received());
        span.setAttribute(Attribute.PACKETS_SENT, last.sent());
        span.setAttribute(Attribute.PACKETS_LOST, last.lost());
        span.setAttribute(Attribute.PACKETS_REMOTE_LOST, last.remoteLost());
        span.setAttribute(Attribute.JITTER_MS, last.jitterNanos() / NANOS_PER_MILLI);
        if (last.roundTripNanos() >= 0) {
            span.setAttribute(Attribute.ROUND_TRIP_MS, last.roundTripNanos() / NANOS_PER_MILLI);
        }
        CallSummary quality = last.quality();
        if (quality == null) {
            return;
        }
        span.setAttribute(Attribute.CONCEALED_MS, quality.concealedMillis());
        if (quality.input() != null) {
            span.setAttribute(Attribute.INPUT_MOS, quality.input().meanOpinionScore());
        }
        if (quality.output() != null) {
            span.setAttribute(Attribute.OUTPUT_MOS, quality.output().meanOpinionScore());
        }
    }
}
