package dev.parley.transceiver.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.DescribeLoadResponse;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What CreateSession and its siblings refuse, and how. */
class RefusalTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private static Rig rig(Function<SessionStart, Object> answer) {
        return new Rig(new FakeVoiceAgent(answer, false), Rig.LIMITS, 30_000);
    }

    private static StatusRuntimeException refusal(Rig rig, CreateSessionRequest request) {
        StatusRuntimeException refusal =
                catchThrowableOfType(
                        StatusRuntimeException.class,
                        () -> rig.request(request, rig.control()::createSession));
        // Whatever was begun is undone.
        assertThat(rig.calls().count()).isZero();
        return refusal;
    }

    private static CreateSessionRequest.Builder request(Rig rig) {
        return CreateSessionRequest.newBuilder()
                .setOfferSdp(rig.client("actpass", PLACE).offer())
                .setModel("model")
                .addRelayAddresses("203.0.113.10:3478");
    }

    private static void assertRefused(
            StatusRuntimeException refusal, Status.Code status, String code, String param) {
        assertThat(refusal.getStatus().getCode()).isEqualTo(status);
        assertThat(trailer(refusal, "parley-error-code")).isEqualTo(code);
        assertThat(trailer(refusal, "parley-error-param")).isEqualTo(param);
    }

    private static String trailer(StatusRuntimeException refusal, String name) {
        Metadata trailers = refusal.getTrailers();
        String value =
                trailers == null
                        ? null
                        : trailers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
        return value == null ? "" : value;
    }

    @Test
    void namesTheLineOfABadOffer() {
        try (Rig rig = rig(FakeVoiceAgent.opus())) {
            String offer =
                    rig.client("actpass", PLACE)
                            .offer()
                            .replace("a=setup:actpass", "a=setup:maybe");
            StatusRuntimeException refusal = refusal(rig, request(rig).setOfferSdp(offer).build());
            assertRefused(refusal, Status.Code.INVALID_ARGUMENT, "invalid_offer", "sdp");
            assertThat(refusal.getStatus().getDescription())
                    .startsWith("line 11 (a=setup:maybe): ");
        }
    }

    @Test
    void wantsARelayAddress() {
        try (Rig rig = rig(FakeVoiceAgent.opus())) {
            assertRefused(
                    refusal(rig, request(rig).clearRelayAddresses().build()),
                    Status.Code.INVALID_ARGUMENT,
                    "no_relay_address",
                    "relay_addresses");
            assertRefused(
                    refusal(rig, request(rig).addRelayAddresses("nonsense").build()),
                    Status.Code.INVALID_ARGUMENT,
                    "invalid_relay_address",
                    "relay_addresses");
        }
    }

    @Test
    void passesOnTheBackendsRefusal() {
        try (Rig rig = rig(_ -> Status.RESOURCE_EXHAUSTED.withDescription("full house"))) {
            StatusRuntimeException refusal = refusal(rig, request(rig).build());
            assertRefused(refusal, Status.Code.RESOURCE_EXHAUSTED, "model_overloaded", "model");
            assertThat(refusal.getStatus().getDescription()).isEqualTo("full house");
        }
        try (Rig rig = rig(_ -> Status.NOT_FOUND.withDescription("who is that"))) {
            assertRefused(
                    refusal(rig, request(rig).build()),
                    Status.Code.NOT_FOUND,
                    "model_not_found",
                    "model");
        }
        try (Rig rig = rig(_ -> Status.INVALID_ARGUMENT.withDescription("bad voice"))) {
            assertRefused(
                    refusal(rig, request(rig).build()),
                    Status.Code.INVALID_ARGUMENT,
                    "invalid_session",
                    "session");
        }
        try (Rig rig = rig(_ -> Status.INTERNAL.withDescription("secret stack trace"))) {
            StatusRuntimeException refusal = refusal(rig, request(rig).build());
            assertRefused(refusal, Status.Code.UNAVAILABLE, "inference_unavailable", "");
            assertThat(refusal.getStatus().getDescription()).doesNotContain("secret");
        }
    }

    @Test
    void doesNotWaitForEverForABackend() {
        try (Rig rig = rig(_ -> "nothing")) {
            assertRefused(
                    refusal(rig, request(rig).build()),
                    Status.Code.UNAVAILABLE,
                    "inference_timeout",
                    "");
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            // It is told why, and then has no more to wait for.
            assertThat(call.awaitEnd()).isEqualTo("completed");
            assertThat(call.received()).last().matches(ConverseRequest::hasSessionEnd);
        }
    }

    @Test
    void saysSoWhenTheBackendIsDown() {
        Rig rig = rig(FakeVoiceAgent.opus());
        rig.agent().close();
        try (rig) {
            assertRefused(
                    refusal(rig, request(rig).build()),
                    Status.Code.UNAVAILABLE,
                    "inference_unavailable",
                    "");
        }
    }

    @Test
    void refusesAFormatThatWasNotOffered() {
        try (Rig rig =
                rig(
                        FakeVoiceAgent.accepting(
                                AudioEncoding.AUDIO_ENCODING_OPUS,
                                AudioEncoding.AUDIO_ENCODING_UNSPECIFIED))) {
            assertRefused(
                    refusal(rig, request(rig).build()),
                    Status.Code.UNAVAILABLE,
                    "inference_bad_format",
                    "");
        }
    }

    @Test
    void refusesBeyondTheSessionLimitAndWhileDraining() {
        try (Rig rig = rig(FakeVoiceAgent.opus())) {
            for (int i = 0; i < rig.calls().max(); i++) {
                rig.create(rig.client("actpass", new Place(Address.ipv4(i, 1), true)));
            }
            StatusRuntimeException refusal =
                    catchThrowableOfType(
                            StatusRuntimeException.class,
                            () -> rig.request(request(rig).build(), rig.control()::createSession));
            assertRefused(refusal, Status.Code.RESOURCE_EXHAUSTED, "session_limit", "");
            rig.draining().set(true);
            refusal =
                    catchThrowableOfType(
                            StatusRuntimeException.class,
                            () -> rig.request(request(rig).build(), rig.control()::createSession));
            assertRefused(refusal, Status.Code.UNAVAILABLE, "draining", "");
            DescribeLoadResponse load =
                    rig.request(
                            DescribeLoadRequest.getDefaultInstance(), rig.control()::describeLoad);
            assertThat(load.getSessions()).isEqualTo(3);
            assertThat(load.getMaxSessions()).isEqualTo(3);
            assertThat(load.getDraining()).isTrue();
        }
    }

    @Test
    void knowsNoSessionTwice() {
        try (Rig rig = rig(FakeVoiceAgent.opus())) {
            Peer peer = rig.client("actpass", PLACE);
            CreateSessionResponse created = rig.create(peer);
            rig.close(created);
            for (ByteString id :
                    new ByteString[] {created.getSessionId(), ByteString.copyFromUtf8("short")}) {
                StatusRuntimeException refusal =
                        catchThrowableOfType(
                                StatusRuntimeException.class,
                                () ->
                                        rig.request(
                                                CloseSessionRequest.newBuilder()
                                                        .setSessionId(id)
                                                        .build(),
                                                rig.control()::closeSession));
                assertRefused(refusal, Status.Code.NOT_FOUND, "session_not_found", "session_id");
            }
        }
    }

    @Test
    void tellsTheBackendWhatTheCallIs() {
        try (Rig rig = rig(FakeVoiceAgent.opus())) {
            CreateSessionResponse created =
                    rig.request(
                            request(rig)
                                    .setModel("alto")
                                    .setSessionJson("{\"voice\":1}")
                                    .putAttributes("user_agent", "test")
                                    .build(),
                            rig.control()::createSession);
            SessionStart start = rig.agent().lastStart();
            assertThat(start.getModel()).isEqualTo("alto");
            assertThat(start.getSessionJson()).isEqualTo("{\"voice\":1}");
            assertThat(start.getAttributesMap()).containsEntry("user_agent", "test");
            assertThat(start.getSessionId())
                    .isEqualTo(
                            java.util.HexFormat.of()
                                    .formatHex(created.getSessionId().toByteArray()));
            assertThat(start.getInputFormatsList())
                    .anyMatch(
                            f ->
                                    f.getEncoding() == AudioEncoding.AUDIO_ENCODING_LINEAR16
                                            && f.getSampleRateHz() == 24_000);
            assertThat(created.getAnswerSdp()).contains("a=setup:active", "203.0.113.10 3478");
        }
    }
}
