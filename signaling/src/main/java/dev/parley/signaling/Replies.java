package dev.parley.signaling;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/** Writes JSON responses, and the error body that all endpoints share. */
final class Replies {
    static final String JSON = "application/json";

    /**
     * When to come back after a 503: about as long as a draining or full server takes to change.
     */
    static final String RETRY_AFTER_SECONDS = "2";

    private Replies() {}

    static void json(ServerRequest request, ServerResponse response, int status, ObjectNode body) {
        response.status(Status.create(status));
        response.headers().set(HeaderNames.CONTENT_TYPE, JSON);
        send(request, response, Json.bytes(body));
    }

    static void send(ServerRequest request, ServerResponse response, byte[] body) {
        // The web server does not know that a response to HEAD has no content, RFC 9110 9.3.2.
        if (request.prologue().method().equals(Method.HEAD)) {
            response.send();
        } else {
            response.send(body);
        }
    }

    static ObjectNode error(RefusedException refusal) {
        ObjectNode body = Json.object();
        body.putObject("error")
                .put("message", refusal.message())
                .put("type", refusal.code().type())
                .put("code", refusal.shownCode())
                .put("param", refusal.param().orElse(null));
        return body;
    }
}
