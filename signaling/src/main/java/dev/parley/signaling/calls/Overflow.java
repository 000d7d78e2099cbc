package dev.parley.signaling.calls;

import dev.parley.signaling.steering.Placement;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.URI;
import java.util.Optional;

/**
 * Sends clients for which there is no room here to another cluster, if there is one and their
 * protocol has them follow (RFC 9725 4.5). Any thread may use it.
 */
public final class Overflow {
    private final Placement placement;
    private final Access access;

    /** Sends them where this placement says. */
    public Overflow(Placement placement, Access access) {
        this.placement = placement;
        this.access = access;
    }

    /** Answers the request with a redirect; false when there is nowhere to go. */
    public boolean redirect(ServerRequest request, ServerResponse response) {
        Optional<URI> elsewhere = placement.elsewhere(access.client(request));
        elsewhere.ifPresent(
                base -> {
                    String query =
                            request.query().isEmpty() ? "" : "?" + request.query().rawValue();
                    String path = request.path().absolute().rawPath();
                    response.status(Status.TEMPORARY_REDIRECT_307);
                    response.headers().set(HeaderNames.LOCATION, joined(base, path + query));
                    response.send();
                });
        return elsewhere.isPresent();
    }

    /** A URL below another. */
    public static String joined(URI base, String path) {
        String text = base.toString();
        return (text.endsWith("/") ? text.substring(0, text.length() - 1) : text) + path;
    }
}
