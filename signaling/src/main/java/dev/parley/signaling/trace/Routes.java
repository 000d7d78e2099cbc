package dev.parley.signaling.trace;

import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Requests without what differs from call to call: few enough to count each apart. */
public final class Routes {
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    private static final Set<String> STARTS =
            Set.of("/v1/realtime", "/v1/realtime/calls", "/whip", "/whip/{model}");

    private record Route(Pattern paths, String template) {}

    private static final List<Route> ROUTES =
            List.of(
                    route("/v1/realtime/?", "/v1/realtime"),
                    route("/v1/realtime/calls/?", "/v1/realtime/calls"),
                    route("/v1/realtime/calls/[^/]+", "/v1/realtime/calls/{id}"),
                    route("/v1/realtime/calls/[^/]+/hangup", "/v1/realtime/calls/{id}/hangup"),
                    route("/whip/?", "/whip"),
                    route("/whip/sessions/[^/]+", "/whip/sessions/{id}"),
                    route("/whip/[^/]+", "/whip/{model}"));

    private Routes() {}

    private static Route route(String paths, String template) {
        return new Route(Pattern.compile(paths), template);
    }

    /** The route of a path; empty for one that has nothing to do with calls. */
    static String of(String path) {
        return ROUTES.stream()
                .filter(route -> route.paths().matcher(path).matches())
                .map(Route::template)
                .findFirst()
                .orElse("");
    }

    /** Whether a request would start a call. */
    public static boolean startsCall(HttpPrologue prologue) {
        return prologue.method().equals(Method.POST)
                && STARTS.contains(of(prologue.uriPath().path()));
    }

    /** Whether a request is of a WHIP client. */
    public static boolean isWhip(HttpPrologue prologue) {
        return of(prologue.uriPath().path()).startsWith("/whip");
    }

    /** OpenTelemetry's conventions for HTTP: a method that is not known is _OTHER. */
    static String method(String text) {
        return METHODS.contains(text) ? text : "_OTHER";
    }
}
