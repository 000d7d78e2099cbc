package dev.parley.signaling.http;

import static java.util.stream.Collectors.joining;

import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One path with the methods that it has. Answers OPTIONS and CORS preflights itself, HEAD wherever
 * there is GET, and 405 with {@code Allow} to everything else.
 */
public final class Endpoint implements Handler {
    private final Map<Method, Handler> methods;
    private final String allow;
    private final Cors cors;
    private final String crossOrigin;
    private final Handler onOptions;

    private Endpoint(
            Cors cors, Map<Method, Handler> methods, String crossOrigin, Handler onOptions) {
        this.cors = cors;
        this.methods = methods;
        this.onOptions = onOptions;
        Stream<Method> own = methods.keySet().stream();
        Stream<Method> implied =
                methods.containsKey(Method.GET)
                        ? Stream.of(Method.HEAD, Method.OPTIONS)
                        : Stream.of(Method.OPTIONS);
        this.allow = Stream.concat(own, implied).map(Method::text).collect(joining(", "));
        this.crossOrigin = crossOrigin;
    }

    /** A path with one method. */
    public static Endpoint of(Cors cors, Method method, Handler handler) {
        return new Endpoint(cors, Map.of(method, handler), "", (_, _) -> {});
    }

    /**
     * With more to say to OPTIONS.
     *
     * @param crossOrigin methods that pages of other origins are told of; also those of paths that
     *     this one leads to
     * @param describe adds headers
     */
    public Endpoint onOptions(String crossOrigin, Handler describe) {
        return new Endpoint(cors, methods, crossOrigin, describe);
    }

    /** With one more method. */
    public Endpoint and(Method method, Handler handler) {
        Map<Method, Handler> more = new LinkedHashMap<>(methods);
        more.put(method, handler);
        return new Endpoint(cors, more, crossOrigin, onOptions);
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) throws Exception {
        Method method = request.prologue().method();
        Handler handler = methods.get(method.equals(Method.HEAD) ? Method.GET : method);
        if (handler != null) {
            handler.handle(request, response);
            return;
        }
        if (method.equals(Method.OPTIONS)) {
            options(request, response);
            return;
        }
        throw new RefusedException(
                        ErrorCode.METHOD_NOT_ALLOWED,
                        "This path has no method " + method.text() + ". It has " + allow + ".")
                .with(HeaderNames.ALLOW, allow);
    }

    private void options(ServerRequest request, ServerResponse response) throws Exception {
        response.headers().set(HeaderNames.ALLOW, allow);
        if (crossOrigin.isEmpty()) {
            cors.preflight(request.headers(), response.headers(), allow);
        } else {
            cors.preflight(request.headers(), response.headers(), crossOrigin);
            // Some clients look here for what they can do, also without a preflight.
            response.headers().set(HeaderNames.ACCESS_CONTROL_ALLOW_METHODS, crossOrigin);
        }
        onOptions.handle(request, response);
        response.status(Status.NO_CONTENT_204).send();
    }
}
