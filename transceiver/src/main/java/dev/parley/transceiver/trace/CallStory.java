package dev.parley.transceiver.trace;

import dev.parley.otel.Attribute;
import dev.parley.otel.EventName;
import dev.parley.otel.MaskedAddresses;
import dev.parley.otel.SpanName;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import dev.parley.rtc.ice.IcePath;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.session.CallObserver;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.EndedCall;
import dev.parley.transceiver.session.SetupPhases.Phase;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call in spans: the call itself, and below it its set-up, its first audio both ways and what
 * the agent said. Any thread may tell; what belongs together is told by one.
 */
final class CallStory implements CallObserver {
    private static final long NOT_YET = Long.MIN_VALUE;

    private final Tracing tracing;
    private final CallTimes times;
    private final CallTrace trace;
    private final SpanContext self;
    private final String model;
    private final long wallAhead;
    private final long createdNanos;
    private final Span call;
    private final Span setup;
    private final long[] reached = new long[Phase.values().length];
    private @Nullable Phase last;
    private @Nullable Span firstAudioUp;
    private @Nullable Span firstAudioDown;
    private @Nullable Span response;
    private boolean spoke;
    private long silentSince = NOT_YET;
    private double turnMillis = Double.NaN;
    private int responses;
    private int bargeIns;
    private String path = "";
    private boolean over;

    /**
     * @param parent a span of the same trace, or an invalid one
     * @param wallAhead what the wall clock shows more than the call's clock
     */
    CallStory(
            Tracing tracing,
            CallTimes times,
            CallTrace trace,
            SpanContext parent,
            String model,
            long wallAhead,
            long createdNanos) {
        this.tracing = tracing;
        this.times = times;
        this.trace = trace;
        this.model = model;
        this.self = trace.call();
        this.wallAhead = wallAhead;
        this.createdNanos = createdNanos;
        Arrays.fill(reached, NOT_YET);
        call = tracing.startCall(trace, parent, SpanName.CALL.text(), createdNanos + wallAhead);
        call.setAttribute(Attribute.GEN_AI_REQUEST_MODEL, model);
        setup = start(SpanName.SETUP, createdNanos);
    }

    private Span start(SpanName name, long nowNanos) {
        return tracing.start(self, name.text(), SpanKind.INTERNAL, nowNanos + wallAhead);
    }

    private void end(Span span, long nowNanos) {
        span.end(nowNanos + wallAhead, TimeUnit.NANOSECONDS);
    }

    private void event(EventName name, Attributes attributes, long nowNanos) {
        call.addEvent(name.text(), attributes, nowNanos + wallAhead, TimeUnit.NANOSECONDS);
    }

    @Override
    public synchronized void reached(Phase phase, long nowNanos) {
        if (over) {
            return;
        }
        reached[phase.ordinal()] = nowNanos;
        times.reached(trace, phase, nowNanos - createdNanos);
        last = phase;
        switch (phase) {
            case ANSWERED -> {}
            case FIRST_CHECK -> between(SpanName.ICE, Phase.ANSWERED, nowNanos);
            case DTLS_CONNECTED -> {
                between(SpanName.DTLS, Phase.FIRST_CHECK, nowNanos);
                end(setup, nowNanos);
                firstAudioUp = start(SpanName.FIRST_AUDIO_UP, nowNanos);
                firstAudioDown = spoke ? null : start(SpanName.FIRST_AUDIO_DOWN, nowNanos);
            }
            case FIRST_RTP -> {
                if (firstAudioUp != null) {
                    firstAudioUp.addEvent(
                            EventName.FIRST_RTP.text(), nowNanos + wallAhead, TimeUnit.NANOSECONDS);
                }
            }
            case FIRST_INPUT -> firstAudioUp = endIf(firstAudioUp, nowNanos);
        }
    }

    private void between(SpanName name, Phase from, long nowNanos) {
        long since = reached[from.ordinal()];
        // A check may overtake the answer.
        end(start(name, since == NOT_YET ? nowNanos : since), nowNanos);
    }

    private @Nullable Span endIf(@Nullable Span span, long nowNanos) {
        if (span != null) {
            end(span, nowNanos);
        }
        return null;
    }

    @Override
    public synchronized void refused(String code, String message, long nowNanos) {
        if (!over) {
            over = true;
            fail(setup, code);
            fail(call, code);
            call.setAttribute(Attribute.END_MESSAGE, message);
            end(setup, nowNanos);
            end(call, nowNanos);
        }
    }

    private static void fail(Span span, String type) {
        span.setAttribute(Attribute.ERROR_TYPE, type);
        span.setStatus(StatusCode.ERROR);
    }

    @Override
    public synchronized void pathSelected(IcePath selected, long nowNanos) {
        path =
                MaskedAddresses.in(
                                IpAddress.text(
                                        selected.clientHigh(),
                                        selected.clientLow(),
                                        selected.clientPort()))
                        + (selected.isDirect() ? " direct" : " by relay");
        event(EventName.PATH_SELECTED, Attributes.of(Attribute.PATH, path), nowNanos);
    }

    @Override
    public void restarted(long nowNanos) {
        event(EventName.ICE_RESTART, Attributes.empty(), nowNanos);
    }

    @Override
    public synchronized void speechStarted(long nowNanos) {
        silentSince = NOT_YET;
        event(EventName.SPEECH_STARTED, Attributes.empty(), nowNanos);
    }

    @Override
    public synchronized void speechStopped(long nowNanos) {
        silentSince = nowNanos;
        event(EventName.SPEECH_STOPPED, Attributes.empty(), nowNanos);
    }

    @Override
    public synchronized void playbackStarted(PlayedItem item, long nowNanos) {
        if (over) {
            return;
        }
        spoke = true;
        responses++;
        answered(nowNanos);
        firstAudioDown = endIf(firstAudioDown, nowNanos);
        response = endIf(response, nowNanos);
        Span started = start(SpanName.RESPONSE, nowNanos);
        started.setAttribute(Attribute.GEN_AI_RESPONSE_ID, item.responseId());
        started.setAttribute(Attribute.ITEM_ID, item.itemId());
        response = started;
    }

    private void answered(long nowNanos) {
        if (silentSince != NOT_YET) {
            long waited = nowNanos - silentSince;
            silentSince = NOT_YET;
            turnMillis = waited / 1e6;
            times.answered(trace, waited);
            event(
                    EventName.ANSWERED,
                    Attributes.of(Attribute.TURN_LATENCY_MS, turnMillis),
                    nowNanos);
        }
    }

    @Override
    public synchronized void playbackStopped(PlayedItem item, long nowNanos) {
        played(item);
        response = endIf(response, nowNanos);
    }

    @Override
    public synchronized void playbackCleared(
            @Nullable PlayedItem item, long clearedMillis, long nowNanos) {
        Attributes cut = Attributes.of(Attribute.CLEARED_MS, clearedMillis);
        times.interrupted(response != null);
        bargeIns++;
        if (response == null) {
            event(EventName.BARGE_IN, cut, nowNanos);
            return;
        }
        response.addEvent(
                EventName.BARGE_IN.text(), cut, nowNanos + wallAhead, TimeUnit.NANOSECONDS);
        played(item);
        response = endIf(response, nowNanos);
    }

    private void played(@Nullable PlayedItem item) {
        if (response != null && item != null) {
            response.setAttribute(Attribute.AUDIO_END_MS, item.sentMillis());
        }
    }

    @Override
    public void inferenceLost(String status, long nowNanos) {
        event(EventName.INFERENCE_LOST, Attributes.of(Attribute.ERROR_TYPE, status), nowNanos);
    }

    @Override
    public void inferenceResumed(long nowNanos) {
        event(EventName.INFERENCE_RESUMED, Attributes.empty(), nowNanos);
    }

    @Override
    public synchronized void ended(EndedCall how) {
        if (over) {
            return;
        }
        over = true;
        long nowNanos = createdNanos + how.last().ageNanos();
        String reason = how.reason().label();
        times.ended(trace, how.reason(), how.last().ageNanos());
        call.setAttribute(Attribute.END_REASON, reason);
        if (!how.message().isEmpty()) {
            call.setAttribute(Attribute.END_MESSAGE, how.message());
        }
        if (isFault(how.reason())) {
            fail(call, reason);
        }
        if (reached[Phase.DTLS_CONNECTED.ordinal()] == NOT_YET) {
            fail(setup, reason);
            setup.setAttribute(
                    Attribute.SETUP_PHASE,
                    last == null ? "none" : last.name().toLowerCase(Locale.ROOT));
            end(setup, nowNanos);
        }
        QualitySummary.put(how.last(), call);
        firstAudioUp = endIf(firstAudioUp, nowNanos);
        firstAudioDown = endIf(firstAudioDown, nowNanos);
        response = endIf(response, nowNanos);
        end(call, nowNanos);
    }

    @Override
    public synchronized void describe(Map<String, Object> into) {
        into.put("model", model);
        into.put("path", path);
        into.put("responses", responses);
        into.put("barge_ins", bargeIns);
        into.put("turn_ms", Double.isNaN(turnMillis) ? "" : turnMillis);
    }

    private static boolean isFault(EndReason reason) {
        return switch (reason) {
            case SETUP_TIMEOUT, DTLS_FAILED, INFERENCE_FAILED, INTERNAL_ERROR, ABANDONED -> true;
            case CLIENT_HANGUP,
                    CONSENT_EXPIRED,
                    AGENT_HANGUP,
                    SHUTDOWN,
                    MAX_DURATION,
                    IDLE_TIMEOUT ->
                    false;
        };
    }
}
