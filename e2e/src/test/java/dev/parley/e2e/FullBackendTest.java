package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.inferencestub.InferenceStub;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.Signaling;
import dev.parley.signaling.SignalingConfig;
import dev.parley.transceiver.Transceiver;
import dev.parley.transceiver.TransceiverConfig;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A caller whose model has no room is told so before there is a call, and may try again. */
class FullBackendTest {
    private static final String OFFER =
            String.join(
                    "\r\n",
                    "v=0",
                    "o=- 1 1 IN IP4 127.0.0.1",
                    "s=-",
                    "t=0 0",
                    "a=group:BUNDLE 0",
                    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
                    "c=IN IP4 0.0.0.0",
                    "a=ice-ufrag:full",
                    "a=ice-pwd:fullfullfullfullfullfull",
                    "a=fingerprint:sha-256 " + "00:".repeat(31) + "00",
                    "a=setup:actpass",
                    "a=mid:0",
                    "a=sendrecv",
                    "a=rtcp-mux",
                    "a=rtpmap:111 opus/48000/2",
                    "");

    @Test
    void refusesACallThatTheBackendHasNoRoomFor() throws Exception {
        InferenceStubConfig full =
                ConfigLoader.of(
                        InferenceStubConfig.class,
                        Map.of("grpc_address", "127.0.0.1:0", "max_sessions", "1"));
        try (InferenceStub stub = InferenceStub.start(full, Telemetry.none());
                Transceiver transceiver = transceiver(text(stub.address()));
                Signaling signaling = signaling(text(transceiver.controlAddress()));
                HttpClient http = HttpClient.newHttpClient()) {
            URI calls =
                    URI.create(
                            "http://"
                                    + text(signaling.address())
                                    + "/v1/realtime/calls?model=echo");
            assertThat(offer(http, calls).statusCode()).isEqualTo(201);
            HttpResponse<String> refused = offer(http, calls);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            JsonNode error = new ObjectMapper().readTree(refused.body()).path("error");
            assertThat(error.path("code").asText()).isEqualTo("model_overloaded");
            assertThat(error.path("message").asText()).contains("Try again");
        }
    }

    private static HttpResponse<String> offer(HttpClient http, URI calls) throws Exception {
        return http.send(
                HttpRequest.newBuilder(calls)
                        .header("Content-Type", "application/sdp")
                        .POST(BodyPublishers.ofString(OFFER))
                        .build(),
                BodyHandlers.ofString());
    }

    private static Transceiver transceiver(String backend) {
        return Transceiver.start(
                ConfigLoader.of(
                        TransceiverConfig.class,
                        Map.of(
                                "route_keys",
                                "0=000102030405060708090a0b0c0d0e0f",
                                "backends",
                                "*=" + backend,
                                "backend_ready_timeout",
                                "30s",
                                "max_delay",
                                "0s")),
                Telemetry.none());
    }

    private static Signaling signaling(String transceiver) {
        return Signaling.start(
                ConfigLoader.of(
                        SignalingConfig.class,
                        Map.of(
                                "http_address",
                                "127.0.0.1:0",
                                "transceivers",
                                transceiver,
                                "relay_addresses",
                                "127.0.0.1:3478",
                                "call_id_key",
                                "0123456789abcdef0123456789abcdef",
                                "create_timeout",
                                "30s",
                                "max_delay",
                                "0s")),
                Telemetry.none());
    }

    private static String text(InetSocketAddress address) {
        return HostPort.of(address).toString();
    }
}
