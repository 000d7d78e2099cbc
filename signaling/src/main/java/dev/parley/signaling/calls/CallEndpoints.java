package dev.parley.signaling.calls;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.SetupTimes;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.http.Replies;
import dev.parley.signaling.pool.CallId;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.List;

/** The Realtime HTTP interface: starts, describes, changes and ends calls. */
public final class CallEndpoints implements HttpService {
    /** Where all of it is. */
    public static final String ROOT = "/v1/realtime";

    private final CallDesk desk;
    private final Access access;
    private final Cors cors;

    /** Starts calls at this desk. */
    public CallEndpoints(CallDesk desk, Access access, Cors cors) {
        this.desk = desk;
        this.access = access;
        this.cors = cors;
    }

    @Override
    public void routing(HttpRules rules) {
        Endpoint create = Endpoint.of(cors, Method.POST, this::create);
        // The older form of the interface has the offer posted to its root.
        rules.any("/", create.and(Method.GET, this::sideband));
        rules.any("/calls", create);
        rules.any(
                "/calls/{id}",
                Endpoint.of(cors, Method.GET, this::describe)
                        .and(Method.PATCH, this::change)
                        .and(Method.POST, this::change)
                        .and(Method.DELETE, this::hangUp));
        rules.any("/calls/{id}/hangup", Endpoint.of(cors, Method.POST, this::hangUp));
    }

    private void create(ServerRequest request, ServerResponse response) {
        var _ = access.countAddress(request);
        Caller caller = access.starter(request.headers());
        Offer offer = Offer.read(request).startingFrom(caller);
        String model = desk.model(caller, request.query().all("model", List::of), offer);
        CallDesk.Origin origin =
                CallDesk.Origin.of(request.headers(), access.where(request), "realtime");
        CallDesk.Started call =
                access.counted(caller, () -> desk.start(caller, origin, model, offer));
        response.status(Status.CREATED_201);
        response.headers()
                .set(HeaderNames.CONTENT_TYPE, CallChange.SDP)
                .set(HeaderNames.ETAG, CallChange.tag(0))
                .set(HeaderNames.LOCATION, ROOT + "/calls/" + call.token());
        response.send(call.answerSdp());
    }

    // What has become no sideband's WebSocket comes here to be told why.
    private void sideband(ServerRequest request, ServerResponse response) {
        Caller caller = access.caller(request.headers());
        cors.requirePermitted(request.headers());
        desk.join(caller, request.query().all("call_id", List::of)).close();
        throw RefusedException.needsWebSocket();
    }

    private void change(ServerRequest request, ServerResponse response) {
        CallId call = call(request);
        UpdateSessionRequest.Builder change = CallChange.read(request);
        UpdateSessionResponse changed = desk.change(call, access.where(request), change);
        response.headers().set(HeaderNames.ETAG, CallChange.tag(changed.getIceGeneration()));
        switch (changed.getAnswerCase()) {
            case ANSWER_SDP -> send(response, CallChange.SDP, changed.getAnswerSdp());
            case ICE_FRAGMENT -> send(response, CallChange.FRAGMENT, changed.getIceFragment());
            case ANSWER_NOT_SET -> response.status(Status.NO_CONTENT_204).send();
        }
    }

    private static void send(ServerResponse response, String type, String body) {
        response.status(Status.OK_200);
        response.headers().set(HeaderNames.CONTENT_TYPE, type);
        response.send(body);
    }

    private void hangUp(ServerRequest request, ServerResponse response) {
        desk.end(call(request));
        response.status(Status.OK_200).send();
    }

    private void describe(ServerRequest request, ServerResponse response) {
        DescribeSessionResponse session = desk.describe(call(request));
        ObjectNode body =
                Json.object()
                        .put("id", request.path().pathParameters().get("id"))
                        .put("object", "realtime.call")
                        .put("state", CallDesk.text(session.getState(), "SESSION_STATE_"))
                        .put("age_ms", session.getAgeMs())
                        .put("packets_received", session.getPacketsReceived())
                        .put("packets_sent", session.getPacketsSent());
        if (session.getState() == SessionState.SESSION_STATE_ENDED) {
            body.put("end_reason", CallDesk.text(session.getEndReason(), "END_REASON_"));
            body.put("end_message", session.getEndMessage());
        }
        putSetup(body.putObject("setup"), session.getSetup());
        Replies.json(request, response, Status.OK_200.code(), body);
    }

    // What has not happened yet is absent.
    private static void putSetup(ObjectNode into, SetupTimes times) {
        times.getAllFields().forEach((field, millis) -> into.put(field.getName(), (Double) millis));
    }

    private CallId call(ServerRequest request) {
        Caller caller = access.caller(request.headers());
        return desk.find(caller, request.path().pathParameters().get("id"));
    }
}
