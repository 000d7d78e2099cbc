package dev.parley.signaling.trace;

import dev.parley.otel.Attribute;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import dev.parley.signaling.http.RefusedException;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One client's request, which becomes a span once it is known of which call: the first span of a
 * call that it starts, otherwise one below the call. Owned by the request's thread.
 *
 * <p>Each transceiver that is asked to take a call is asked with an id of its own, because an id
 * must not be used twice. So each attempt is a trace of its own; the last one, which is the call's,
 * links to those before.
 */
public final class RequestTrace {
    static final int NO_STATUS = 0;
    private static final int FIRST_SERVER_ERROR = 500;

    private final Tracing tracing;
    private final RandomGenerator random;
    private final String name;
    private final long startEpochNanos = Tracing.epochNanos();
    private final AttributesBuilder attributes = Attributes.builder();
    private final List<SpanContext> links = new ArrayList<>();
    private @Nullable CallTrace attempt;
    private @Nullable Span following;
    private int attempts;
    private boolean failed;
    private boolean over;

    RequestTrace(Tracing tracing, RandomGenerator random, String name) {
        this.tracing = tracing;
        this.random = random;
        this.name = name;
    }

    /** Says something about the request. */
    public <T> void put(AttributeKey<T> key, T value) {
        attributes.put(key, value);
    }

    void clientIs(SpanContext client) {
        links.add(client);
    }

    /** A transceiver is about to be asked to take a call of this id. */
    public CallTrace attempt() {
        if (attempt != null) {
            Span given = tracing.startRoot(attempt, name, SpanKind.SERVER, startEpochNanos);
            given.setAllAttributes(attributes.build());
            given.setAttribute(Attribute.ATTEMPT, attempts);
            given.setStatus(StatusCode.ERROR);
            given.end();
            links.add(attempt.root());
        }
        attempts++;
        CallTrace fresh = tracing.mint(random);
        attempt = fresh;
        return fresh;
    }

    /** The request is about a call that exists; answers its span, to put further ones under. */
    public SpanContext follows(CallTrace call) {
        Span span = tracing.start(call.call(), name, SpanKind.SERVER, startEpochNanos);
        following = span;
        return tracing.isOn() ? span.getSpanContext() : call.call();
    }

    /** The call that it has started, or tried to; null for none. */
    @Nullable CallTrace findCall() {
        return attempt;
    }

    /** The request was refused, or failed. */
    public void failed(Throwable thrown) {
        failed = true;
        put(
                Attribute.ERROR_TYPE,
                thrown instanceof RefusedException refusal
                        ? refusal.code().text()
                        : thrown.getClass().getSimpleName());
    }

    /** The response has been sent. */
    void end(int status) {
        if (over) {
            return;
        }
        over = true;
        Span span =
                attempt == null
                        ? following
                        : tracing.startRoot(attempt, name, SpanKind.SERVER, startEpochNanos);
        if (span == null) {
            return;
        }
        links.forEach(span::addLink);
        span.setAllAttributes(attributes.build());
        if (attempts > 0) {
            span.setAttribute(Attribute.ATTEMPT, attempts);
        }
        if (status != NO_STATUS) {
            span.setAttribute(Attribute.HTTP_RESPONSE_STATUS_CODE, status);
        }
        // OpenTelemetry's conventions for HTTP: to a server, what its client did wrong is no error.
        if (status >= FIRST_SERVER_ERROR || (status == NO_STATUS && failed)) {
            span.setStatus(StatusCode.ERROR);
        }
        span.end();
    }
}
