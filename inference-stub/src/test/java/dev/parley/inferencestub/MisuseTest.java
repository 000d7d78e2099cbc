package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.inferencestub.TestEdge.Call;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.DtmfInput;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionStart;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each way to break the contract, and exactly what its developer is told. */
class MisuseTest {
    private final TestEdge edge = new TestEdge(Map.of("max_sessions", "2"), new StubObserver() {});

    @AfterEach
    void closeEdge() {
        edge.close();
    }

    @Test
    void wantsSessionStartFirst() {
        Call call = edge.open().send(audio(0, 0, 480));

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: the first message must be session_start, not"
                                + " input_audio");
        assertThat(edge.count("misuse{kind=wrong_first_message}")).isEqualTo(1);
    }

    @Test
    void wantsSessionStartBeforeEventsToo() {
        Call call =
                edge.open()
                        .send(
                                ConverseRequest.newBuilder()
                                        .setDtmfInput(DtmfInput.newBuilder().setDigit("1"))
                                        .build());

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: the first message must be session_start, not"
                                + " dtmf_input");
    }

    @Test
    void refusesSecondSessionStart() {
        Call call = edge.start("silence").start("silence", Map.of());

        assertThat(call.status())
                .isEqualTo("INVALID_ARGUMENT: session_start may be sent only once");
        assertThat(edge.count("misuse{kind=second_session_start}")).isEqualTo(1);
    }

    @Test
    void listsItsModelsToWhoAsksForAnother() {
        Call call = edge.start("gpt");

        assertThat(call.status())
                .isEqualTo(
                        "NOT_FOUND: model \"gpt\" is unknown; this service has parrot, echo, tone,"
                                + " silence, speak, scripted");
        assertThat(edge.count("misuse{kind=unknown_model}")).isEqualTo(1);
    }

    @Test
    void refusesSessionIdThatIsNoTraceId() {
        Call call = edge.open().send(TestEdge.START.clone().setModel("echo").setSessionId("ABC"));

        assertThat(call.status())
                .isEqualTo("INVALID_ARGUMENT: session_id must be 32 lower-case hexadecimal digits");
        assertThat(edge.count("misuse{kind=bad_session_id}")).isEqualTo(1);
    }

    @Test
    void refusesFormatThatTheEdgeDoesNotOffer() {
        Call call = edge.open().start("parrot", Map.of("format", "linear16/8000"));

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: LINEAR16 at 8000 Hz is not among input_formats: OPUS at"
                                + " 48000 Hz, LINEAR16 at 24000 Hz");
        assertThat(edge.count("misuse{kind=unsupported_format}")).isEqualTo(1);
    }

    @Test
    void refusesOpusForTheParrot() {
        Call call = edge.open().start("parrot", Map.of("format", "opus"));

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: model parrot works on PCM and cannot use OPUS at 48000"
                                + " Hz");
    }

    @Test
    void refusesFormatThatDoesNotExist() {
        Call call = edge.open().start("tone", Map.of("format", "linear16/44100"));

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: format is \"linear16/44100\"; use opus, mulaw,"
                                + " alaw, or linear16/RATE with 8000, 16000, 24000 or 48000");
    }

    @Test
    void refusesSessionJsonThatIsNone() {
        Call call =
                edge.open()
                        .send(TestEdge.START.clone().setModel("echo").setSessionJson("[\"opus\"]"));

        assertThat(call.status()).isEqualTo("INVALID_ARGUMENT: session_json is not a JSON object");
        assertThat(edge.count("misuse{kind=bad_session_json}")).isEqualTo(1);
    }

    @Test
    void refusesEdgeThatOffersNothing() {
        Call call =
                edge.open()
                        .send(
                                SessionStart.newBuilder()
                                        .setSessionId(TestEdge.SESSION_ID)
                                        .setModel("echo"));

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: model echo needs one format both ways; input_formats:"
                                + " none; output_formats: none");
    }

    @Test
    void refusesAudioThatIsNotWholeSamples() {
        Call call =
                edge.start("parrot")
                        .send(audio(0, 0, 480).setAudio(ByteString.copyFrom(new byte[959])));

        assertThat(call.status())
                .isEqualTo(
                        "INVALID_ARGUMENT: 959 bytes of LINEAR16 at 24000 Hz are not num_samples"
                                + " 480 times 2");
        assertThat(edge.count("misuse{kind=bad_audio}")).isEqualTo(1);
    }

    @Test
    void refusesEmptyAudio() {
        Call call = edge.start("echo").send(InputAudio.newBuilder().setNumSamples(960));

        assertThat(call.status()).isEqualTo("INVALID_ARGUMENT: audio is empty");
    }

    @Test
    void refusesRepeatedSequenceNumber() {
        Call call = edge.start("parrot").send(audio(4, 0, 480)).send(audio(4, 20, 480));

        assertThat(call.status()).isEqualTo("INVALID_ARGUMENT: sequence_number 4 came after 4");
        assertThat(edge.count("misuse{kind=out_of_order_audio}")).isEqualTo(1);
    }

    @Test
    void refusesOffsetThatRunsBackwards() {
        Call call = edge.start("parrot").send(audio(0, 40, 480)).send(audio(1, 20, 480));

        assertThat(call.status()).isEqualTo("INVALID_ARGUMENT: audio_offset_ms 20 came after 40");
    }

    @Test
    void acceptsGapsInSequenceNumbers() {
        Call call = edge.start("parrot").send(audio(0, 0, 480)).send(audio(9, 180, 480));

        assertThat(call.status()).isEqualTo("open");
    }

    @Test
    void refusesMoreSessionsThanItHasRoomFor() {
        edge.start("silence");
        Call second = edge.start("silence");
        Call third = edge.start("silence");

        assertThat(third.status()).isEqualTo("RESOURCE_EXHAUSTED: all 2 sessions are in use");
        assertThat(edge.count("misuse{kind=too_many_sessions}")).isEqualTo(1);
        assertThat(edge.count("open_streams")).isEqualTo(2);

        second.sendEnd();
        assertThat(edge.start("silence").status()).isEqualTo("open");
    }

    @Test
    void doesNotWaitForeverForSessionStart() {
        Call call = edge.open();

        edge.advance(5_000);
        assertThat(call.status()).isEqualTo("open");

        edge.advance(1);
        assertThat(call.status()).isEqualTo("DEADLINE_EXCEEDED: no session_start within 5000 ms");
        assertThat(edge.count("misuse{kind=no_session_start}")).isEqualTo(1);
    }

    @Test
    void ignoresAndCountsMessagesItDoesNotKnow() {
        Call call = edge.start("echo").send(ConverseRequest.getDefaultInstance());

        assertThat(call.status()).isEqualTo("open");
        assertThat(edge.count("misuse{kind=unknown_message}")).isEqualTo(1);
    }

    @Test
    void takesHalfCloseForTheEndAndCountsIt() {
        Call call = edge.start("echo").halfClose();

        assertThat(call.status()).isEqualTo("OK");
        assertThat(edge.count("misuse{kind=no_session_end}")).isEqualTo(1);
    }

    @Test
    void saysNothingMoreOnceTheStreamIsOver() {
        Call call = edge.start("echo").sendEnd().send(audio(0, 0, 480));

        assertThat(call.status()).isEqualTo("OK");
        assertThat(call.kinds()).isEmpty();
    }

    private static InputAudio.Builder audio(long number, long offsetMs, int samples) {
        return InputAudio.newBuilder()
                .setAudio(WireFormat.LINEAR16_24K.encode(new short[samples]))
                .setNumSamples(samples)
                .setSequenceNumber(number)
                .setAudioOffsetMs(offsetMs);
    }
}
