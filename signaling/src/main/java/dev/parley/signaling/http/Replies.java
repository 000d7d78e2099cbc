package dev.parley.signaling.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/** Writes JSON responses, and the error body that all endpoints share. */
public final class Replies {
    static final String JSON = "application/json";
    static final String PROBLEM = "application/problem+json";

    /**
     * When to come back after a 503: about as long as a draining or full server takes to change.
     */
    static final String RETRY_AFTER_SECONDS = "2";

    private Replies() {}

    /** Sends a JSON response. */
    public static void json(
            ServerRequest request, ServerResponse response, int status, ObjectNode body) {
        json(request, response, status, JSON, body);
    }

    static void json(
            ServerRequest request,
            ServerResponse response,
            int status,
            String type,
            ObjectNode body) {
        response.status(Status.create(status));
        response.headers().set(HeaderNames.CONTENT_TYPE, type);
        send(request, response, Json.bytes(body));
    }

    /** Sends a body, unless only its headers are asked for. */
    public static void send(ServerRequest request, ServerResponse response, byte[] body) {
        // The web server does not know that a response to HEAD has no content, RFC 9110 9.3.2.
        if (request.prologue().method().equals(Method.HEAD)) {
            response.send();
        } else {
            response.send(body);
        }
    }

    /** The body that tells an error, everywhere but in WHIP. */
    public static ObjectNode error(RefusedException refusal) {
        ObjectNode body = Json.object();
        body.putObject("error")
                .put("message", refusal.message())
                .put("type", refusal.code().type())
                .put("code", refusal.code().text())
                .put("param", refusal.param().orElse(null));
        return body;
    }

    /** The body that tells an error in WHIP, RFC 9457. */
    static ObjectNode problem(RefusedException refusal) {
        int status = refusal.code().status();
        ObjectNode body =
                Json.object()
                        // RFC 9457 4.2.1: the status says it all, and its phrase is the title.
                        .put("type", "about:blank")
                        .put("title", Status.create(status).reasonPhrase())
                        .put("status", status)
                        .put("detail", refusal.message())
                        .put("code", refusal.code().text());
        refusal.param().ifPresent(param -> body.put("param", param));
        return body;
    }
}
