package dev.parley.signaling.calls;

import dev.parley.otel.Attribute;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.pool.CallId;
import dev.parley.signaling.pool.ClusterPool;
import dev.parley.signaling.pool.JoinedCall;
import dev.parley.signaling.steering.Placement;
import dev.parley.signaling.steering.Whereabouts;
import dev.parley.signaling.trace.RequestTrace;
import dev.parley.signaling.trace.RequestTraces;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Starts, changes and ends calls, for every protocol that clients speak. Keeps nothing: a call is
 * found through its sealed id alone. Any thread may call.
 */
public final class CallDesk {
    private static final System.Logger LOGGER = System.getLogger(CallDesk.class.getName());
    private static final int MAX_ATTRIBUTE_CHARS = 256;
    private static final int INGRESSES_OF_CHANGES = 2;

    private final ClusterPool pool;
    private final CallIdSealer sealer;
    private final Placement placement;
    private final StartingCalls starting;
    private final CallCounters counters;
    private final RequestTraces traces;
    private final String defaultModel;

    /**
     * Sends calls to the pool's clusters.
     *
     * @param starting bounds calls that wait for a transceiver
     * @param traces of the requests that come here
     * @param defaultModel model of a call whose client names none
     */
    public CallDesk(
            ClusterPool pool,
            CallIdSealer sealer,
            Placement placement,
            StartingCalls starting,
            CallCounters counters,
            RequestTraces traces,
            String defaultModel) {
        this.pool = pool;
        this.sealer = sealer;
        this.placement = placement;
        this.starting = starting;
        this.counters = counters;
        this.traces = traces;
        this.defaultModel = defaultModel;
    }

    /**
     * Where a call comes from.
     *
     * @param where the client is
     * @param userAgent as the client calls itself; may be empty
     * @param protocol that it speaks to us
     */
    public record Origin(Whereabouts where, String userAgent, String protocol) {
        public Origin {
            userAgent = userAgent.substring(0, Math.min(userAgent.length(), MAX_ATTRIBUTE_CHARS));
        }

        /** Of a request. */
        public static Origin of(ServerRequestHeaders headers, Whereabouts where, String protocol) {
            return new Origin(where, headers.first(HeaderNames.USER_AGENT).orElse(""), protocol);
        }
    }

    /**
     * A call that was just started.
     *
     * @param token its id, for clients
     */
    public record Started(String token, CallId id, String answerSdp) {}

    /**
     * The model of a call, when the caller may use it.
     *
     * @param named by the request's query or path; of these there may be only one
     * @throws RefusedException when there can be no such model, or it is not allowed
     */
    public String model(Caller caller, List<String> named, Offer offer) {
        if (named.size() > 1) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "The request names more than one model.", "model");
        }
        String model = named.stream().findFirst().or(offer::model).orElse(defaultModel);
        if (!ModelName.isValid(model)) {
            throw new RefusedException(
                    ErrorCode.MODEL_NOT_FOUND,
                    "There is no such model: " + ModelName.RULE + ".",
                    "model");
        }
        Access.requireModel(caller, model);
        return model;
    }

    /**
     * Starts a call.
     *
     * @throws RefusedException when the offer is at fault, too many others are being started, or no
     *     transceiver takes it
     */
    public Started start(Caller caller, Origin origin, String model, Offer offer) {
        return traces.within(
                "websocket start",
                () -> {
                    RequestTrace trace = traces.current();
                    trace.put(Attribute.PROTOCOL, origin.protocol());
                    trace.put(Attribute.GEN_AI_REQUEST_MODEL, model);
                    return starting.count(() -> start(caller, origin, model, offer, trace));
                });
    }

    private Started start(
            Caller caller, Origin origin, String model, Offer offer, RequestTrace trace) {
        Placement.Decision placed = placement.decide(offer.wish().at(origin.where()));
        tell(trace, placed);
        ClusterPool.Placed call =
                pool.create(
                        placed.owners(),
                        CreateSessionRequest.newBuilder()
                                .setOfferSdp(offer.sdp())
                                .setModel(model)
                                .addAllRelayAddresses(placed.relayAddresses())
                                .setSessionJson(offer.sessionJson())
                                .putAttributes(
                                        "client_address", origin.where().address().getHostAddress())
                                .putAttributes("user_agent", origin.userAgent())
                                .putAttributes("protocol", origin.protocol())
                                .putAttributes("caller", caller.owner())
                                .build(),
                        trace);
        counters.created();
        trace.put(Attribute.CLUSTER, (long) call.cluster());
        CallId id = call.call().id().startedIn(call.cluster(), caller);
        LOGGER.log(
                Level.DEBUG,
                "session={0} created on {1}, model {2}, for {3}",
                id.sessionId(),
                id.control(),
                model,
                caller.owner());
        return new Started(sealer.seal(id), id, call.call().answerSdp());
    }

    private static void tell(RequestTrace trace, Placement.Decision placed) {
        trace.put(Attribute.STEERING_BASIS, placed.basis());
        if (!placed.ingress().isEmpty()) {
            trace.put(Attribute.INGRESS, String.join(" ", placed.relayAddresses()));
            trace.put(Attribute.INGRESS_CLUSTER, placed.ingress());
        }
        if (!placed.inputs().isEmpty()) {
            trace.put(Attribute.STEERING_INPUTS, placed.inputs());
        }
        if (!placed.considered().isEmpty()) {
            trace.put(Attribute.STEERING_CLUSTERS, placed.considered());
        }
    }

    /**
     * The call of a token, when it is one of the caller's.
     *
     * @throws RefusedException when not, without saying why
     */
    public CallId find(Caller caller, String token) {
        return sealer.open(token)
                .filter(call -> call.belongsTo(caller))
                .orElseThrow(
                        () ->
                                new RefusedException(
                                        ErrorCode.CALL_NOT_FOUND,
                                        "There is no such call, or it is over."));
    }

    /**
     * Changes a call's transport.
     *
     * @param where the client is now
     * @throws RefusedException when it is over, has gone on since, or the change is at fault
     */
    public UpdateSessionResponse change(
            CallId call, Whereabouts where, UpdateSessionRequest.Builder change) {
        // The relay that it came in by may be why it changes.
        int ingresses = Math.max(where.ingresses(), INGRESSES_OF_CHANGES);
        change.addAllRelayAddresses(
                placement.relayAddresses(where.wishing(Optional.empty(), ingresses)));
        return traces.within(
                "websocket change",
                () -> pool.update(call, traces.current().follows(call.trace()), change));
    }

    /**
     * Ends a call.
     *
     * @throws RefusedException when it is over, or its transceiver cannot be reached
     */
    public void end(CallId call) {
        traces.within(
                "websocket hangup",
                () -> {
                    pool.close(call, traces.current().follows(call.trace()));
                    return call;
                });
        counters.closed();
        LOGGER.log(Level.DEBUG, "session={0} ended by its client", call.sessionId());
    }

    /**
     * Has a backend take part in a call's events.
     *
     * @param tokens ids that the request names, of which there must be one
     * @throws RefusedException when there is no such call, it is another caller's, or it takes no
     *     more sidebands
     */
    public JoinedCall join(Caller caller, List<String> tokens) {
        if (caller.secret().isPresent()) {
            // One client's secret must not open the calls of the same owner's other clients.
            throw new RefusedException(
                    ErrorCode.FORBIDDEN, "A client secret cannot join calls.", "call_id");
        }
        try {
            JoinedCall joined = pool.join(find(caller, tokens.size() == 1 ? tokens.get(0) : ""));
            counters.joined();
            return joined;
        } catch (RefusedException refusal) {
            throw switch (refusal.code()) {
                case CALL_NOT_FOUND, CALL_ID_NOT_FOUND ->
                        new RefusedException(
                                ErrorCode.CALL_ID_NOT_FOUND,
                                "There is no such call, or it is over.",
                                "call_id");
                case SIDEBAND_LIMIT ->
                        new RefusedException(
                                ErrorCode.SIDEBAND_LIMIT,
                                "The call has all the sidebands that it can have.",
                                "call_id");
                default -> refusal;
            };
        }
    }

    /**
     * State of a call.
     *
     * @throws RefusedException when it is unknown, or its transceiver cannot be reached
     */
    public DescribeSessionResponse describe(CallId call) {
        return pool.describe(call);
    }

    /**
     * Whether the call ended a while ago, as far as that is remembered.
     *
     * @throws RefusedException when it is unknown, or its transceiver cannot be reached
     */
    public boolean hasEnded(CallId call) {
        return describe(call).getState() == SessionState.SESSION_STATE_ENDED;
    }

    /** A constant of the control protocol as clients read it. */
    public static String text(Enum<?> constant, String prefix) {
        return constant.name().replace(prefix, "").toLowerCase(Locale.ROOT);
    }
}
