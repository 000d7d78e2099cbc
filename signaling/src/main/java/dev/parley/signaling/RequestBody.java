package dev.parley.signaling;

import io.helidon.http.HeaderValues;
import io.helidon.http.RequestException;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads every request body before anything else looks at the request, in bounded memory and bounded
 * time, however it is framed. Because the body is always read to its end (up to a few times the
 * limit), a refusal reaches its client even if that writes everything before it reads.
 *
 * <p>The web server alone bounds a single read, which a client sending a byte now and then never
 * exceeds. So a second virtual thread reads while the request's own thread waits; when time is up
 * the latter answers 408 and the closing of the connection ends the former.
 */
final class RequestBody implements Filter {
    /** The web server itself cuts bodies off beyond this many times the limit. */
    static final int DRAINED_TIMES_LIMIT = 4;

    private static final byte[] EMPTY = {};

    private final int maxBytes;
    private final Duration timeout;

    RequestBody(int maxBytes, Duration timeout) {
        this.maxBytes = maxBytes;
        this.timeout = timeout;
    }

    /** The body that this filter has read; empty when there is none. */
    static byte[] of(ServerRequest request) {
        return request.context().get(RequestBody.class, byte[].class).orElse(EMPTY);
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        if (request.content().hasEntity()) {
            request.context().register(RequestBody.class, readInTime(request, response));
        }
        chain.proceed();
    }

    private byte[] readInTime(RoutingRequest request, RoutingResponse response) {
        FutureTask<byte[]> reading = new FutureTask<>(() -> read(request.content().inputStream()));
        var _ = Thread.ofVirtual().name("request-body").start(reading);
        try {
            return reading.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            throw abandon(
                    response,
                    ErrorCode.REQUEST_TIMEOUT,
                    "The request body did not arrive within " + timeout.toMillis() + " ms.");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RefusedException refusal) {
                throw refusal;
            }
            if (e.getCause() instanceof RequestException framing
                    && framing.status().code() == ErrorCode.REQUEST_TOO_LARGE.status()) {
                var _ = abandon(response, ErrorCode.REQUEST_TOO_LARGE, "");
                throw tooLarge();
            }
            throw abandon(
                    response,
                    ErrorCode.INVALID_REQUEST,
                    "The request body cannot be read to its end.");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw abandon(response, ErrorCode.SERVICE_UNAVAILABLE, "This server is stopping.");
        }
    }

    private byte[] read(InputStream body) throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        byte[] buffer = new byte[8_192];
        int total = 0;
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
            total += n;
            if (total <= maxBytes) {
                kept.write(buffer, 0, n);
            }
        }
        if (total > maxBytes) {
            throw tooLarge();
        }
        return kept.toByteArray();
    }

    private RefusedException tooLarge() {
        return new RefusedException(
                ErrorCode.REQUEST_TOO_LARGE,
                "The request body is larger than the limit of " + maxBytes + " bytes.");
    }

    // What is left of the body would be taken for the next request.
    private static RefusedException abandon(
            RoutingResponse response, ErrorCode code, String message) {
        response.header(HeaderValues.CONNECTION_CLOSE);
        return new RefusedException(code, message);
    }
}
