package dev.parley.signaling;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.SetupTimes;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.auth.Caller;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;

/**
 * The Realtime HTTP interface: starts, describes, changes and ends calls. Keeps nothing between
 * requests: a call is found through its sealed id alone.
 */
final class CallEndpoints implements HttpService {
    static final String ROOT = "/v1/realtime";

    private static final System.Logger LOGGER = System.getLogger(CallEndpoints.class.getName());
    private static final int MAX_ATTRIBUTE_CHARS = 256;

    private final TransceiverPool pool;
    private final CallIdSealer sealer;
    private final Access access;
    private final SignalingCounters counters;
    private final Cors cors;
    private final int cluster;
    private final String defaultModel;
    private final List<String> relayAddresses;

    CallEndpoints(
            SignalingConfig config,
            TransceiverPool pool,
            CallIdSealer sealer,
            Access access,
            SignalingCounters counters,
            Cors cors) {
        this.pool = pool;
        this.sealer = sealer;
        this.access = access;
        this.counters = counters;
        this.cors = cors;
        this.cluster = config.clusterId();
        this.defaultModel = config.defaultModel();
        this.relayAddresses = config.relayAddresses().stream().map(HostPort::toString).toList();
    }

    @Override
    public void routing(HttpRules rules) {
        Endpoint create = Endpoint.of(cors, Method.POST, this::create);
        // The older form of the interface has the offer posted to its root.
        rules.any("/", create);
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
        InetAddress client = access.countAddress(request, response);
        Caller caller = access.starter(request, response);
        Offer offer = Offer.read(request).startingFrom(caller);
        String model = model(request, offer);
        Access.requireModel(caller, model);
        access.countCaller(caller, "calls of ", response);
        TransceiverPool.Created call =
                pool.create(
                        CreateSessionRequest.newBuilder()
                                .setOfferSdp(offer.sdp())
                                .setModel(model)
                                .addAllRelayAddresses(relayAddresses)
                                .setSessionJson(offer.sessionJson())
                                .putAttributes("client_address", client.getHostAddress())
                                .putAttributes("user_agent", userAgent(request))
                                .putAttributes("caller", caller.owner())
                                .build());
        counters.created();
        LOGGER.log(
                Level.DEBUG,
                "call {0} created on {1}, model {2}, for {3}",
                call.id().sessionId(),
                call.id().control(),
                model,
                caller.owner());
        response.status(Status.CREATED_201);
        response.headers().set(HeaderNames.CONTENT_TYPE, CallChange.SDP);
        response.headers().set(HeaderNames.ETAG, CallChange.tag(0));
        response.headers()
                .set(
                        HeaderNames.LOCATION,
                        ROOT + "/calls/" + sealer.seal(call.id().startedIn(cluster, caller)));
        response.send(call.answerSdp());
    }

    private void change(ServerRequest request, ServerResponse response) {
        CallId call = call(request, response);
        UpdateSessionRequest.Builder change = CallChange.read(request);
        UpdateSessionResponse changed =
                pool.update(call, change.addAllRelayAddresses(relayAddresses));
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
        CallId call = call(request, response);
        pool.close(call);
        counters.closed();
        LOGGER.log(Level.DEBUG, "call {0} ended by its client", call.sessionId());
        response.status(Status.OK_200).send();
    }

    private void describe(ServerRequest request, ServerResponse response) {
        DescribeSessionResponse session = pool.describe(call(request, response));
        ObjectNode body =
                Json.object()
                        .put("id", request.path().pathParameters().get("id"))
                        .put("object", "realtime.call")
                        .put("state", text(session.getState()))
                        .put("age_ms", session.getAgeMs())
                        .put("packets_received", session.getPacketsReceived())
                        .put("packets_sent", session.getPacketsSent());
        if (session.getState() == SessionState.SESSION_STATE_ENDED) {
            body.put("end_reason", text(session.getEndReason()));
            body.put("end_message", session.getEndMessage());
        }
        putSetup(body.putObject("setup"), session.getSetup());
        Replies.json(request, response, Status.OK_200.code(), body);
    }

    // What has not happened yet is absent.
    private static void putSetup(ObjectNode into, SetupTimes times) {
        times.getAllFields().forEach((field, millis) -> into.put(field.getName(), (Double) millis));
    }

    private CallId call(ServerRequest request, ServerResponse response) {
        Caller caller = access.caller(request, response);
        return sealer.open(request.path().pathParameters().get("id"))
                .filter(call -> call.belongsTo(caller))
                .orElseThrow(
                        () ->
                                new RefusedException(
                                        ErrorCode.CALL_NOT_FOUND,
                                        "There is no such call, or it is over."));
    }

    private String model(ServerRequest request, Offer offer) {
        List<String> named = request.query().all("model", List::of);
        if (named.size() > 1) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "The query names more than one model.", "model");
        }
        String model = named.stream().findFirst().or(offer::model).orElse(defaultModel);
        if (!ModelName.isValid(model)) {
            throw new RefusedException(
                    ErrorCode.MODEL_NOT_FOUND,
                    "There is no such model: " + ModelName.RULE + ".",
                    "model");
        }
        return model;
    }

    private static String userAgent(ServerRequest request) {
        String text = request.headers().first(HeaderNames.USER_AGENT).orElse("");
        return text.substring(0, Math.min(text.length(), MAX_ATTRIBUTE_CHARS));
    }

    private static String text(SessionState state) {
        return state.name().replace("SESSION_STATE_", "").toLowerCase(Locale.ROOT);
    }

    private static String text(EndReason reason) {
        return reason.name().replace("END_REASON_", "").toLowerCase(Locale.ROOT);
    }
}
