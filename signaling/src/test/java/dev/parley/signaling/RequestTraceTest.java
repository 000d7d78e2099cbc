package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.otel.Telemetry;
import dev.parley.otel.TelemetrySettings;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.RecentCalls;
import dev.parley.proto.control.v1.CreateSessionRequest;
import io.grpc.Status;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestTraceTest {
    private static final String CLIENT_TRACE = "0af7651916cd43dd8448eb211c80319c";

    private final Telemetry telemetry =
            Telemetry.start("signaling", Map.of(), TelemetrySettings.LOCAL);
    private final RecentCalls recent = Objects.requireNonNull(telemetry.recentCalls());
    private final SignalingFixture fixture = SignalingFixture.with(2);
    private final Signaling signaling = Signaling.start(fixture.config(Map.of()), telemetry);

    @AfterEach
    void close() {
        signaling.close();
        fixture.close();
        telemetry.close();
    }

    private int post(String path) {
        return fixture.send(
                        SignalingFixture.request(signaling, path)
                                .header("Content-Type", "application/sdp")
                                .header(
                                        "traceparent",
                                        "00-" + CLIENT_TRACE + "-b7ad6b7169203331-01")
                                .POST(HttpRequest.BodyPublishers.ofString(SignalingFixture.OFFER)))
                .statusCode();
    }

    private SpanData root(CallTrace call) {
        return recent.spans(call.toString()).stream()
                .filter(span -> span.getSpanId().equals(call.root().getSpanId()))
                .findFirst()
                .orElseThrow();
    }

    private static CallTrace id(CreateSessionRequest request) {
        return CallTrace.of(request.getSessionId().toByteArray());
    }

    @Test
    void theSessionIdThatATransceiverIsGivenIsTheTraceOfTheRequest() {
        assertThat(post("/v1/realtime/calls?model=parrot")).isEqualTo(201);

        CallTrace call =
                fixture.transceivers.stream()
                        .flatMap(transceiver -> transceiver.created.stream())
                        .map(RequestTraceTest::id)
                        .findFirst()
                        .orElseThrow();
        SpanData root = root(call);
        assertThat(root.getName()).isEqualTo("POST /v1/realtime/calls");
        assertThat(root.getParentSpanContext().isValid()).isFalse();
        assertThat(root.getAttributes().asMap())
                .containsEntry(AttributeKey.longKey("http.response.status_code"), 201L)
                .containsEntry(AttributeKey.stringKey("gen_ai.request.model"), "parrot")
                .containsEntry(AttributeKey.stringKey("parley.protocol"), "realtime");
        assertThat(recent.spans(call.toString()))
                .filteredOn(span -> span.getParentSpanId().equals(root.getSpanId()))
                .extracting(SpanData::getName)
                .containsExactly("parley.control.v1.Transceiver/CreateSession");
    }

    @Test
    void aClientsOwnTraceIsLinkedToAndNotJoined() {
        var _ = post("/v1/realtime/calls");

        assertThat(recent.ids()).hasSize(1).doesNotContain(CLIENT_TRACE);
        assertThat(
                        recent.spans(recent.ids().getFirst()).stream()
                                .flatMap(span -> span.getLinks().stream())
                                .map(LinkData::getSpanContext))
                .extracting(link -> link.getTraceId())
                .containsExactly(CLIENT_TRACE);
    }

    @Test
    void aSecondTransceiverIsAskedWithAnIdOfItsOwn() {
        fixture.transceivers.forEach(transceiver -> transceiver.refuse(Status.UNAVAILABLE, "", ""));
        assertThat(post("/v1/realtime/calls")).isEqualTo(503);

        List<ByteString> asked =
                fixture.transceivers.stream()
                        .flatMap(transceiver -> transceiver.created.stream())
                        .map(CreateSessionRequest::getSessionId)
                        .toList();
        assertThat(asked).hasSize(2).doesNotHaveDuplicates();
        assertThat(recent.ids()).hasSize(2);
        SpanData last = root(CallTrace.parse(recent.ids().getFirst()));
        assertThat(last.getLinks())
                .extracting(link -> link.getSpanContext().getTraceId())
                .contains(recent.ids().getLast());
        assertThat(last.getAttributes().asMap())
                .containsEntry(AttributeKey.stringKey("error.type"), "service_unavailable")
                .containsEntry(AttributeKey.longKey("parley.attempt"), 2L);
    }

    @Test
    void whatNeverComesToACallLeavesNoSpan() {
        assertThat(post("/v1/realtime/calls?model=no+model")).isEqualTo(404);
        assertThat(post("/elsewhere")).isEqualTo(404);

        assertThat(recent.ids()).isEmpty();
    }
}
