package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.Mark;
import dev.parley.proto.inference.v1.MessageRejected;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.ResumePoint;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.SpeechDetection;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a backend that breaks the contract is told; each text stands in docs/inference.md. */
class BackendMisuseTest {
    private static final Rig.Place PLACE = new Rig.Place(Address.ipv4(1, 50_001), true);
    private static final Path DOCUMENTATION = Path.of("../docs/inference.md");

    private Rig rig = Rig.withOpus();
    private Peer peer = rig.client("actpass", PLACE);

    @AfterEach
    void close() {
        rig.close();
    }

    private void use(Function<SessionStart, Object> answer) {
        use(new FakeVoiceAgent(answer, false), BackendSettings.DEFAULT);
    }

    private void use(FakeVoiceAgent agent, BackendSettings settings) {
        rig.close();
        rig = Rig.withReplicas(settings, agent);
        peer = rig.client("actpass", PLACE);
    }

    private FakeVoiceAgent.Call connect() {
        rig.connect(peer);
        return rig.agent().awaitCall();
    }

    /** The code of the error that the caller's request is answered with. */
    private Status refusedCall() {
        CreateSessionRequest request =
                CreateSessionRequest.newBuilder()
                        .setOfferSdp(peer.offer())
                        .setModel("model")
                        .addRelayAddresses("203.0.113.10:3478")
                        .build();
        return catchThrowableOfType(
                        StatusRuntimeException.class,
                        () -> rig.request(request, rig.control()::createSession))
                .getStatus();
    }

    private static SessionEnd end(FakeVoiceAgent.Call call) {
        SessionEnd end = call.await(ConverseRequest::hasSessionEnd).getSessionEnd();
        assertThat(call.awaitEnd()).isEqualTo("completed");
        return end;
    }

    /** What the backend is told when its stream is not wanted. */
    private void assertRefused(FakeVoiceAgent.Call call, String why) throws IOException {
        SessionEnd end = end(call);
        assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_INFERENCE_FAILED);
        assertThat(end.getMessage()).isEqualTo(why);
        assertThat(Files.readString(DOCUMENTATION)).contains('`' + why + '`');
    }

    private MessageRejected assertRejected(FakeVoiceAgent.Call call, String code, String why)
            throws IOException {
        rig.advanceUntil(
                () -> call.received().stream().anyMatch(ConverseRequest::hasMessageRejected));
        MessageRejected told = call.await(ConverseRequest::hasMessageRejected).getMessageRejected();
        assertThat(told.getCode()).isEqualTo(code);
        assertThat(told.getMessage()).isEqualTo(why);
        assertThat(Files.readString(DOCUMENTATION)).contains("`" + code + ": " + why + "`");
        assertThat(rig.calls().count()).isEqualTo(1);
        return told;
    }

    private static SessionReady ready(AudioFormat.Builder input, AudioFormat.Builder output) {
        return SessionReady.newBuilder().setInputFormat(input).setOutputFormat(output).build();
    }

    private static AudioFormat.Builder format(AudioEncoding encoding, int rateHz) {
        return AudioFormat.newBuilder().setEncoding(encoding).setSampleRateHz(rateHz);
    }

    private static AudioFormat.Builder opus() {
        return format(AudioEncoding.AUDIO_ENCODING_OPUS, 48_000);
    }

    // --- before the call

    @Test
    void sendsAnotherMessageFirst() throws IOException {
        use(_ -> "nothing by itself");
        FakeVoiceAgent agent = rig.agent();
        CompletableFuture<FakeVoiceAgent.Call> called =
                CompletableFuture.supplyAsync(
                        () -> {
                            FakeVoiceAgent.Call call = agent.awaitCall();
                            call.mark("too early");
                            return call;
                        });
        assertThat(refusedCall().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertRefused(called.join(), "the first message must be session_ready, not mark");
    }

    @Test
    void saysNothing() throws IOException {
        use(_ -> "nothing");
        assertThat(refusedCall().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertRefused(rig.agent().awaitCall(), "no session_ready within 2000 ms");
    }

    @Test
    void choosesAFormatThatIsNotOnOffer() throws IOException {
        use(_ -> ready(format(AudioEncoding.AUDIO_ENCODING_LINEAR16, 11_025), opus()));
        assertThat(refusedCall().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertRefused(
                rig.agent().awaitCall(),
                "input_format LINEAR16 at 11025 Hz is not among those on offer: OPUS at 48000 Hz,"
                        + " LINEAR16 at 24000 Hz, LINEAR16 at 16000 Hz, LINEAR16 at 48000 Hz,"
                        + " LINEAR16 at 8000 Hz, MULAW at 8000 Hz, ALAW at 8000 Hz");
    }

    @Test
    void choosesOpusForAClientWithoutIt() throws IOException {
        use(_ -> ready(format(AudioEncoding.AUDIO_ENCODING_ALAW, 8_000), opus()));
        peer = rig.client("actpass", PLACE).withPcmaOnly();
        assertThat(refusedCall().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertRefused(
                rig.agent().awaitCall(),
                "output_format OPUS at 48000 Hz is not among those on offer: LINEAR16 at 24000 Hz,"
                        + " LINEAR16 at 16000 Hz, LINEAR16 at 48000 Hz, LINEAR16 at 8000 Hz, MULAW"
                        + " at 8000 Hz, ALAW at 8000 Hz");
    }

    @Test
    void asksForImpossibleSpeechDetection() throws IOException {
        use(
                _ ->
                        SessionReady.newBuilder()
                                .setSpeechDetection(SpeechDetection.newBuilder().setThreshold(2))
                                .build());
        assertThat(refusedCall().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertRefused(
                rig.agent().awaitCall(), "speech_detection: threshold must be above 0 and below 1");
    }

    // --- within it

    @Test
    void isReadyTwice() throws IOException {
        FakeVoiceAgent.Call call = connect();
        call.send(
                ConverseResponse.newBuilder()
                        .setSessionReady(SessionReady.getDefaultInstance())
                        .build());
        assertRejected(
                call,
                "second_session_ready",
                "session_ready may be sent only once; this one was dropped");
    }

    @Test
    void saysNothingAsAudio() throws IOException {
        FakeVoiceAgent.Call call = connect();
        call.say("r");
        assertRejected(call, "empty_audio", "output_audio.audio is empty");
    }

    @Test
    void saysWhatIsNoOpusPacket() throws IOException {
        FakeVoiceAgent.Call call = connect();
        call.say("r", new byte[1_920]);
        MessageRejected told =
                assertRejected(
                        call,
                        "not_opus",
                        "output_audio.audio of 1920 bytes is not one Opus packet of at most 1172"
                                + " bytes, as output_format OPUS wants");
        assertThat(told.getCount()).isEqualTo(1);
    }

    @Test
    void isToldOfTheSameThingOnceASecond() {
        FakeVoiceAgent.Call call = connect();
        for (int i = 0; i < 5; i++) {
            call.say("r", new byte[1_920]);
        }
        call.mark("behind them");
        rig.advanceUntil(() -> call.received().stream().anyMatch(ConverseRequest::hasMarkReached));
        assertThat(call.received().stream().filter(ConverseRequest::hasMessageRejected))
                .hasSizeLessThan(5)
                .first()
                .extracting(first -> first.getMessageRejected().getCount())
                .isEqualTo(1);
    }

    @Test
    void namesThingsAtLength() throws IOException {
        FakeVoiceAgent.Call call = connect();
        String name = "n".repeat(1_025);
        call.say(name, (byte) 0xF8, (byte) 1);
        assertRejected(
                call,
                "name_too_long",
                "output_audio.response_id has 1025 characters; 1024 are the most");
    }

    @Test
    void namesAMarkAtLength() {
        FakeVoiceAgent.Call call = connect();
        call.send(
                ConverseResponse.newBuilder()
                        .setMark(Mark.newBuilder().setName("n".repeat(2_000)))
                        .build());
        rig.advanceUntil(
                () -> call.received().stream().anyMatch(ConverseRequest::hasMessageRejected));
        assertThat(
                        call.await(ConverseRequest::hasMessageRejected)
                                .getMessageRejected()
                                .getMessage())
                .isEqualTo("mark.name has 2000 characters; 1024 are the most");
    }

    @Test
    void givesALongToken() throws IOException {
        FakeVoiceAgent.Call call = connect();
        call.send(
                ConverseResponse.newBuilder()
                        .setResumePoint(
                                ResumePoint.newBuilder()
                                        .setToken(ByteString.copyFrom(new byte[65_537])))
                        .build());
        assertRejected(call, "token_too_long", "a token has 65537 bytes; 65536 are the most");
    }

    @Test
    void speaksAfterItsFarewell() throws IOException {
        FakeVoiceAgent.Call call = connect();
        for (int i = 0; i < 500; i++) {
            call.say("r", (byte) 0xF8, (byte) 1);
        }
        call.send(
                ConverseResponse.newBuilder()
                        .setSessionEnd(SessionEnd.getDefaultInstance())
                        .build());
        call.say("r", (byte) 0xF8, (byte) 1);
        assertRejected(
                call, "after_session_end", "output_audio came after session_end and was dropped");
    }

    @Test
    void sendsALongMessage() throws IOException {
        FakeVoiceAgent.Call call = connect();
        call.send(audioOf(2_000_000));
        call.mark("behind it");
        assertRejected(
                call, "message_too_long", "output_audio has 2000008 bytes; 1114112 are the most");
        rig.advanceUntil(() -> call.received().stream().anyMatch(ConverseRequest::hasMarkReached));
    }

    private static ConverseResponse audioOf(int bytes) {
        return ConverseResponse.newBuilder()
                .setOutputAudio(
                        OutputAudio.newBuilder().setAudio(ByteString.copyFrom(new byte[bytes])))
                .build();
    }

    @Test
    void sendsAMessageThatIsTooLongEvenToBeRead() throws IOException {
        FakeVoiceAgent.Call call = connect();
        call.send(audioOf(5 << 20));
        rig.pump(() -> rig.calls().count() == 0);
        assertThat(call.awaitEnd()).isEqualTo("cancelled");
        assertThat(Files.readString(DOCUMENTATION)).contains("| sends a message over 4 MiB |");
    }
}
