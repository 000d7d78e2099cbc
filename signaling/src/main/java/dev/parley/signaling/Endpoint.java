package dev.parley.signaling;

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
final class Endpoint implements Handler {
    private final Map<Method, Handler> methods;
    private final String allow;
    private final Cors cors;

    private Endpoint(Cors cors, Map<Method, Handler> methods) {
        this.cors = cors;
        this.methods = methods;
        Stream<Method> own = methods.keySet().stream();
        Stream<Method> implied =
                methods.containsKey(Method.GET)
                        ? Stream.of(Method.HEAD, Method.OPTIONS)
                        : Stream.of(Method.OPTIONS);
        this.allow = Stream.concat(own, implied).map(Method::text).collect(joining(", "));
    }

    static Endpoint of(Cors cors, Method method, Handler handler) {
        return new Endpoint(cors, Map.of(method, handler));
    }

    /** With one more method. */
    Endpoint and(Method method, Handler handler) {
        Map<Method, Handler> more = new LinkedHashMap<>(methods);
        more.put(method, handler);
        return new Endpoint(cors, more);
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
        response.headers().set(HeaderNames.ALLOW, allow);
        throw new RefusedException(
                ErrorCode.METHOD_NOT_ALLOWED,
                "This path has no method " + method.text() + ". It has " + allow + ".");
    }

    private void options(ServerRequest request, ServerResponse response) {
        response.headers().set(HeaderNames.ALLOW, allow);
        cors.preflight(request.headers(), response.headers(), allow);
        response.status(Status.NO_CONTENT_204).send();
    }
}
