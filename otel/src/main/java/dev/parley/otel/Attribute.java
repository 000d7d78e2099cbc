package dev.parley.otel;

import io.opentelemetry.api.common.AttributeKey;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Every attribute of our spans and their events: OpenTelemetry's own names where its conventions
 * have one, {@code parley.*} otherwise. What is not here is on no span. docs/telemetry.md is made
 * of this.
 */
public final class Attribute {
    private static final Map<String, String> MEANINGS = new TreeMap<>();

    public static final AttributeKey<String> RPC_SYSTEM = text("rpc.system", "always grpc");
    public static final AttributeKey<String> RPC_SERVICE =
            text("rpc.service", "gRPC service with its package");
    public static final AttributeKey<String> RPC_METHOD = text("rpc.method", "gRPC method");
    public static final AttributeKey<Long> RPC_GRPC_STATUS_CODE =
            number("rpc.grpc.status_code", "gRPC status, 0 for OK");
    public static final AttributeKey<String> ERROR_TYPE =
            text("error.type", "what went wrong: a gRPC status, an error code of the HTTP API");
    public static final AttributeKey<String> HTTP_REQUEST_METHOD =
            text("http.request.method", "method of the client's request");
    public static final AttributeKey<String> HTTP_ROUTE =
            text("http.route", "path of the request, ids and models left out");
    public static final AttributeKey<Long> HTTP_RESPONSE_STATUS_CODE =
            number("http.response.status_code", "status of the response");
    public static final AttributeKey<String> USER_AGENT =
            text("user_agent.original", "what the client calls itself, cut");
    public static final AttributeKey<String> NETWORK_PROTOCOL_NAME =
            text("network.protocol.name", "how the client talks: http or websocket");
    public static final AttributeKey<String> NETWORK_TRANSPORT =
            text("network.transport", "always udp");
    public static final AttributeKey<String> GEN_AI_REQUEST_MODEL =
            text("gen_ai.request.model", "model that the caller asked for");
    public static final AttributeKey<String> GEN_AI_RESPONSE_ID =
            text("gen_ai.response.id", "the response's id, as the inference service names it");
    public static final AttributeKey<String> ITEM_ID =
            text("parley.item.id", "the item's id, as the inference service names it");
    public static final AttributeKey<Long> AUDIO_END_MS =
            number("parley.audio_end_ms", "audio of the item that was really sent");
    public static final AttributeKey<Long> CLEARED_MS =
            number("parley.cleared_ms", "audio that was cut");
    public static final AttributeKey<Double> TURN_LATENCY_MS =
            decimal(
                    "parley.turn.latency_ms",
                    "from the caller falling silent to the agent's first packet");
    public static final AttributeKey<String> PATH =
            text("parley.path", "the client's address, masked, and whether a relay is between");
    public static final AttributeKey<String> PROTOCOL =
            text("parley.protocol", "signaling protocol of the call: realtime, whip, websocket");
    public static final AttributeKey<Long> CLUSTER =
            number("parley.cluster", "id of the cluster that the call is in");
    public static final AttributeKey<String> INGRESS =
            text("parley.ingress", "public relay addresses that the answer names, best first");
    public static final AttributeKey<String> INGRESS_CLUSTER =
            text("parley.ingress.cluster", "name of the cluster that the first of them is in");
    public static final AttributeKey<String> STEERING_BASIS =
            text(
                    "parley.steering.basis",
                    "what decided where the call goes: region (the client asked), measured_network,"
                            + " measured_pop, measured_city, measured_country, position, country,"
                            + " arrival (nothing but where the request came to), single (one"
                            + " cluster)");
    public static final AttributeKey<String> STEERING_INPUTS =
            text(
                    "parley.steering.inputs",
                    "what was known of where the client is: region, pop, city, country, position"
                            + " to a tenth of a degree");
    public static final AttributeKey<String> STEERING_CLUSTERS =
            text(
                    "parley.steering.clusters",
                    "the clusters that were considered, nearest first: estimated round trip, and"
                            + " draining, down or closed (no room, or not to be reached)");
    public static final AttributeKey<Long> ATTEMPT =
            number("parley.attempt", "which transceiver in turn was asked, from 1");
    public static final AttributeKey<String> END_REASON =
            text("parley.end.reason", "why the call ended; the reasons are EndReason's");
    public static final AttributeKey<String> END_MESSAGE =
            text("parley.end.message", "what a person should know about the end");
    public static final AttributeKey<String> SETUP_PHASE =
            text("parley.setup.phase", "point that a set-up got to last");
    public static final AttributeKey<String> FLOW_CAUSE =
            text(
                    "parley.flow.cause",
                    "new: a client's first check; recovered: the first check of a flow that this relay"
                            + " took up after its start; moved: a check of another session, or of"
                            + " the same one after an ICE restart, from a known address");
    public static final AttributeKey<Long> PACKETS_RECEIVED =
            number("parley.packets.received", "RTP packets accepted from the client");
    public static final AttributeKey<Long> PACKETS_SENT =
            number("parley.packets.sent", "RTP packets sent to the client");
    public static final AttributeKey<Long> PACKETS_LOST =
            number("parley.packets.lost", "RTP packets of the client that never came in time");
    public static final AttributeKey<Long> PACKETS_REMOTE_LOST =
            number("parley.packets.remote_lost", "RTP packets that the client missed, as it says");
    public static final AttributeKey<Double> ROUND_TRIP_MS =
            decimal("parley.round_trip_ms", "between transceiver and client, by its last report");
    public static final AttributeKey<Double> JITTER_MS =
            decimal("parley.jitter_ms", "interarrival jitter of the client's packets, RFC 3550");
    public static final AttributeKey<Long> CONCEALED_MS =
            number("parley.concealed_ms", "audio of the caller that had to be made up");
    public static final AttributeKey<Double> INPUT_MOS =
            decimal("parley.quality.input_mos", "how the caller sounds to us: E-model, 1 to 4.5");
    public static final AttributeKey<Double> OUTPUT_MOS =
            decimal("parley.quality.output_mos", "how we sound to the caller: E-model, 1 to 4.5");

    private Attribute() {}

    /** Names and what they mean, sorted. */
    static Map<String, String> meanings() {
        return Collections.unmodifiableMap(MEANINGS);
    }

    private static AttributeKey<String> text(String name, String meaning) {
        MEANINGS.put(name, meaning);
        return AttributeKey.stringKey(name);
    }

    private static AttributeKey<Long> number(String name, String meaning) {
        MEANINGS.put(name, meaning);
        return AttributeKey.longKey(name);
    }

    private static AttributeKey<Double> decimal(String name, String meaning) {
        MEANINGS.put(name, meaning);
        return AttributeKey.doubleKey(name);
    }
}
