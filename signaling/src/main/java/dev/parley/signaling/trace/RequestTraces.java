package dev.parley.signaling.trace;

import dev.parley.otel.Attribute;
import dev.parley.otel.Histogram;
import dev.parley.otel.trace.Tracing;
import dev.parley.signaling.http.RefusedException;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.opentelemetry.api.trace.SpanContext;
import java.security.SecureRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Gives each request that is about a call its place in the call's trace. A request is handled by
 * one thread, so what it does finds its {@link RequestTrace} by itself. Requests that never come to
 * a call, because their sender may not or they make no sense, leave no span. Any thread may use it.
 */
public final class RequestTraces implements Filter {
    private static final ScopedValue<RequestTrace> CURRENT = ScopedValue.newInstance();
    private static final int MAX_USER_AGENT = 256;

    private final Tracing tracing;
    private final Histogram durations;
    private final RandomGenerator random = new SecureRandom();

    /**
     * Traces and times requests.
     *
     * @param durations how long they take, by method, route and status
     */
    public RequestTraces(Tracing tracing, Histogram durations) {
        this.tracing = tracing;
        this.durations = durations;
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        String method = Routes.method(request.prologue().method().text());
        String route = Routes.of(request.prologue().uriPath().path());
        if (route.isEmpty()) {
            chain.proceed();
            return;
        }
        RequestTrace trace = new RequestTrace(tracing, random, method + " " + route);
        trace.put(Attribute.HTTP_REQUEST_METHOD, method);
        trace.put(Attribute.HTTP_ROUTE, route);
        trace.put(Attribute.NETWORK_PROTOCOL_NAME, "http");
        request.headers()
                .first(HeaderNames.USER_AGENT)
                .ifPresent(agent -> trace.put(Attribute.USER_AGENT, cut(agent)));
        SpanContext client = ClientTrace.read(request.headers());
        if (client.isValid()) {
            trace.clientIs(client);
        }
        request.context().register(trace);
        long began = System.nanoTime();
        response.beforeSend(
                () -> {
                    int status = response.status().code();
                    trace.end(status);
                    durations.record(
                            (System.nanoTime() - began) / 1e9,
                            trace.findCall(),
                            method,
                            route,
                            String.valueOf(status));
                });
        ScopedValue.where(CURRENT, trace).run(chain::proceed);
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(text.length(), MAX_USER_AGENT));
    }

    /**
     * Does something as part of the request under way, or as one of its own, such as a message on a
     * WebSocket.
     *
     * @param name of its own request
     */
    public <T> T within(String name, Supplier<T> work) {
        if (CURRENT.isBound()) {
            return work.get();
        }
        RequestTrace trace = new RequestTrace(tracing, random, name);
        trace.put(Attribute.NETWORK_PROTOCOL_NAME, "websocket");
        try {
            return ScopedValue.where(CURRENT, trace).call(work::get);
        } catch (RuntimeException e) {
            trace.failed(e);
            throw e;
        } finally {
            trace.end(RequestTrace.NO_STATUS);
        }
    }

    /** A request was refused. */
    public static void refused(ServerRequest request, RefusedException refusal) {
        request.context().get(RequestTrace.class).ifPresent(trace -> trace.failed(refusal));
    }

    /** The request that this thread handles; one that leaves no trace when it is none. */
    public RequestTrace current() {
        return CURRENT.isBound() ? CURRENT.get() : new RequestTrace(Tracing.none(), random, "");
    }
}
