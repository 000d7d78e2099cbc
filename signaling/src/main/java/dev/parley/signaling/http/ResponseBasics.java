package dev.parley.signaling.http;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;

/** What every response has in common, errors included: CORS, caching, and being counted. */
public final class ResponseBasics implements Filter {
    private final SignalingCounters counters;
    private final Cors cors;

    /** Adds to every response. */
    public ResponseBasics(SignalingCounters counters, Cors cors) {
        this.counters = counters;
        this.cors = cors;
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        cors.allow(request.headers(), response.headers());
        response.headers().set(HeaderNames.CACHE_CONTROL, "no-store");
        response.headers().set(HeaderNames.create("X-Content-Type-Options"), "nosniff");
        response.whenSent(() -> counters.responded(response.status().code()));
        chain.proceed();
    }
}
