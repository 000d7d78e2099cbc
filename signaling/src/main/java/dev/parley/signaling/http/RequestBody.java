package dev.parley.signaling.http;

import io.helidon.http.HeaderValues;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
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
 * time, however it is framed. Because the body is read to its end (up to sixteen times the limit),
 * a refusal reaches its client even if that writes everything before it reads.
 *
 * <p>The web server bounds neither a read nor a whole body in time. So a second virtual thread
 * reads while the request's own thread waits; when time is up the latter answers 408 and the
 * closing of the connection ends the former.
 */
public final class RequestBody implements Filter {
    /** The web server itself cuts bodies off beyond this many times the limit. */
    public static final int DRAINED_TIMES_LIMIT = 16;

    private static final byte[] EMPTY = {};

    private final int maxBytes;
    private final Duration timeout;
    private final ErrorReplies errors;

    /**
     * Bounds every body.
     *
     * @param timeout for the whole of it
     */
    public RequestBody(int maxBytes, Duration timeout, ErrorReplies errors) {
        this.maxBytes = maxBytes;
        this.timeout = timeout;
        this.errors = errors;
    }

    /** The body that this filter has read; empty when there is none. */
    public static byte[] of(ServerRequest request) {
        return request.context().get(RequestBody.class, byte[].class).orElse(EMPTY);
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        if (request.headers().containsToken(HeaderValues.EXPECT_100)
                && request.headers().contentLength().orElse(0) > maxBytes) {
            // RFC 9110 10.1.1: the client waits to hear whether it should send the body at all.
            throw abandon(request, response, tooLarge());
        }
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
            throw abandon(request, response, late());
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RefusedException refusal -> throw refusal;
                case RequestException framing
                        when framing.status().code() == ErrorCode.REQUEST_TOO_LARGE.status() ->
                        throw abandon(request, response, tooLarge());
                case null, default -> throw abandon(request, response, broken());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CloseConnectionException("stopping");
        }
    }

    // What is left of the body would be taken for the next request, so the connection must end, and
    // that is up to whoever answers: the web server does not close on a header alone.
    private CloseConnectionException abandon(
            RoutingRequest request, RoutingResponse response, RefusedException refusal) {
        response.header(HeaderValues.CONNECTION_CLOSE);
        errors.handle(request, response, refusal);
        return new CloseConnectionException("the request body was not read to its end");
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

    private RefusedException late() {
        return new RefusedException(
                ErrorCode.REQUEST_TIMEOUT,
                "The request body did not arrive within " + timeout.toMillis() + " ms.");
    }

    private static RefusedException broken() {
        return new RefusedException(
                ErrorCode.INVALID_REQUEST, "The request body cannot be read to its end.");
    }
}
