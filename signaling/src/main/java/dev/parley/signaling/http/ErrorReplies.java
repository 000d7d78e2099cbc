package dev.parley.signaling.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpException;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.ErrorHandler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns whatever ends a request into a JSON error body, whether it was thrown by our code or found
 * by the web server before any routing. Any thread may use it.
 */
public final class ErrorReplies implements ErrorHandler<Throwable>, DirectHandler {
    private static final System.Logger LOGGER = System.getLogger(ErrorReplies.class.getName());

    private final SignalingCounters counters;
    private final Cors cors;
    private final String problemPath;
    private final BiConsumer<ServerRequest, RefusedException> onRefused;

    /**
     * Counts what it answers.
     *
     * @param problemPath below which errors are told as RFC 9457 has it
     * @param onRefused told of each request that came to be handled
     */
    public ErrorReplies(
            SignalingCounters counters,
            Cors cors,
            String problemPath,
            BiConsumer<ServerRequest, RefusedException> onRefused) {
        this.counters = counters;
        this.cors = cors;
        this.problemPath = problemPath;
        this.onRefused = onRefused;
    }

    /** For the web server's own refusals: no routing, so no filter has run. */
    public DirectHandlers directHandlers() {
        DirectHandlers.Builder handlers = DirectHandlers.builder();
        for (EventType type : EventType.values()) {
            handlers.addHandler(type, this);
        }
        return handlers.build();
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response, Throwable thrown) {
        if (thrown instanceof HttpException http && http.status().code() < 400) {
            // How the web server's static content says 304 Not Modified.
            http.headers().forEach(response::header);
            response.status(http.status()).send();
            return;
        }
        RefusedException refusal = refusal(thrown);
        counters.refused(refusal.code());
        onRefused.accept(request, refusal);
        if (refusal.code().status() == Status.SERVICE_UNAVAILABLE_503.code()) {
            response.headers().set(HeaderNames.RETRY_AFTER, Replies.RETRY_AFTER_SECONDS);
        }
        refusal.headers().forEach((name, value) -> response.headers().set(name, value));
        boolean problem = isProblem(request.prologue().uriPath().path());
        Replies.json(
                request,
                response,
                refusal.code().status(),
                problem ? Replies.PROBLEM : Replies.JSON,
                body(problem, refusal));
    }

    private boolean isProblem(String path) {
        return path.equals(problemPath) || path.startsWith(problemPath + "/");
    }

    private static ObjectNode body(boolean problem, RefusedException refusal) {
        return problem ? Replies.problem(refusal) : Replies.error(refusal);
    }

    private static RefusedException refusal(Throwable thrown) {
        return switch (thrown) {
            case RefusedException refusal -> refusal;
            case HttpException http -> ofStatus(http.status(), String.valueOf(http.getMessage()));
            // The client is gone: there is nobody to tell.
            case CloseConnectionException gone -> throw gone;
            case UncheckedIOException gone -> throw gone;
            default -> {
                LOGGER.log(Level.WARNING, "a request failed; this is a bug", thrown);
                yield new RefusedException(
                        ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
            }
        };
    }

    @Override
    public TransportResponse handle(
            TransportRequest request,
            EventType event,
            Status status,
            ServerResponseHeaders headers,
            String message) {
        // What our own code throws is answered above. The web server's reading of a request, and
        // writing to who has gone, fails in ways that it takes for faults of its own.
        RefusedException refusal =
                event == EventType.INTERNAL_ERROR
                        ? ofStatus(Status.BAD_REQUEST_400, "")
                        : ofStatus(status, message);
        counters.refused(refusal.code());
        counters.responded(refusal.code().status());
        cors.allow(request.headers(), headers);
        boolean problem = isProblem(request.path());
        headers.set(HeaderNames.CONTENT_TYPE, problem ? Replies.PROBLEM : Replies.JSON);
        TransportResponse.Builder response =
                TransportResponse.builder()
                        .status(Status.create(refusal.code().status()))
                        .headers(headers);
        if (!request.method().equals("HEAD")) {
            response.entity(Json.bytes(body(problem, refusal)));
        }
        return response.build();
    }

    private static String reason(@Nullable String message) {
        return message == null || message.isEmpty() || message.equals("null")
                ? "its request line, target or headers cannot be parsed, or are too long"
                : message;
    }

    private static RefusedException ofStatus(Status status, String message) {
        return switch (status.code()) {
            case 404 -> new RefusedException(ErrorCode.NOT_FOUND, "There is nothing here.");
            case 413 ->
                    new RefusedException(
                            ErrorCode.REQUEST_TOO_LARGE,
                            "The request body is far larger than the limit.");
            case 503 ->
                    new RefusedException(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "This server is busy. Try again shortly.");
            case 500 ->
                    new RefusedException(
                            ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
            // RFC 9110 15.6.6.
            case 505 ->
                    new RefusedException(
                            ErrorCode.HTTP_VERSION_NOT_SUPPORTED,
                            "HTTP/1.0 is not spoken here. Use HTTP/1.1, and tell a proxy to.");
            default ->
                    new RefusedException(
                            ErrorCode.INVALID_REQUEST,
                            "The request is not valid HTTP: " + reason(message) + ".");
        };
    }
}
