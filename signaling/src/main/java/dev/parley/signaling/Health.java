package dev.parley.signaling;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.Replies;
import dev.parley.signaling.pool.TransceiverPool;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.List;

/**
 * Liveness and readiness. Liveness depends on nothing outside this process: a dead transceiver is
 * no reason to restart signaling. Readiness asks the transceivers and says why it fails.
 */
final class Health implements HttpService {
    private final TransceiverPool pool;
    private final Cors cors;
    private volatile boolean stopping;

    Health(TransceiverPool pool, Cors cors) {
        this.pool = pool;
        this.cors = cors;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.any("/healthz", Endpoint.of(cors, Method.GET, this::live));
        rules.any("/readyz", Endpoint.of(cors, Method.GET, this::ready));
    }

    /** From now on no new work should be sent here. */
    void stopping() {
        stopping = true;
    }

    private void live(ServerRequest request, ServerResponse response) {
        Replies.json(request, response, Status.OK_200.code(), Json.object().put("status", "live"));
    }

    private void ready(ServerRequest request, ServerResponse response) {
        List<String> problems = stopping ? List.of("signaling is stopping") : pool.problems();
        boolean ready = problems.isEmpty();
        ObjectNode body = Json.object().put("status", ready ? "ready" : "not ready");
        if (!ready) {
            ArrayNode reasons = body.putArray("reasons");
            problems.forEach(reasons::add);
        }
        Replies.json(request, response, ready ? 200 : 503, body);
    }
}
