package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.Handover;
import dev.parley.proto.inference.v1.MarkReached;
import dev.parley.proto.inference.v1.PauseAudio;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.proto.inference.v1.Resume;
import dev.parley.proto.inference.v1.ResumePoint;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.inference.LinkEvent;
import dev.parley.transceiver.media.AudioDrop;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a call whose stream to inference breaks. */
class ReconnectTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    /** With times that a slow machine does not use up. */
    private static final BackendSettings PATIENT = reconnectingFor(Duration.ofMinutes(1));

    private FakeVoiceAgent agent = new FakeVoiceAgent(FakeVoiceAgent.opus(), false);
    private FakeVoiceAgent other = agent.replica();
    private Rig rig = Rig.withReplicas(PATIENT, agent, other);
    private Peer peer = rig.client("actpass", PLACE);

    @AfterEach
    void close() {
        other.close();
        rig.close();
    }

    private void use(Function<SessionStart, Object> answer, BackendSettings settings) {
        close();
        agent = new FakeVoiceAgent(answer, false);
        other = agent.replica();
        rig = Rig.withReplicas(settings, agent, other);
        peer = rig.client("actpass", PLACE);
    }

    private static BackendSettings reconnectingFor(Duration timeout) {
        BackendSettings usual = BackendSettings.DEFAULT;
        return new BackendSettings(
                usual.keepalive(),
                usual.keepaliveTimeout(),
                Duration.ofMinutes(1),
                timeout,
                usual.tls());
    }

    private FakeVoiceAgent.Call connect() {
        rig.connect(peer);
        return agent.awaitCall();
    }

    private static void say(FakeVoiceAgent.Call call, String responseId, int packets) {
        for (int i = 0; i < packets; i++) {
            call.say(responseId, (byte) 0xF8, (byte) i, (byte) 0x11);
        }
    }

    private void speak(int first, int count) {
        for (int i = first; i < first + count; i++) {
            peer.sendOpus(i, i * 960, (byte) 0xF8, (byte) i);
            rig.run();
        }
    }

    /** The next message of a kind, time passing until it is there. */
    private ConverseRequest await(FakeVoiceAgent.Call call, Predicate<ConverseRequest> wanted) {
        rig.advanceUntil(() -> call.received().stream().anyMatch(wanted));
        return call.await(wanted);
    }

    private static long nextSequence(FakeVoiceAgent.Call call) {
        return call.await(ConverseRequest::hasInputAudio).getInputAudio().getSequenceNumber();
    }

    @Test
    void tellsAnotherReplicaThatTheClientIsOnHold() {
        CreateSessionResponse created = rig.connect(peer);
        FakeVoiceAgent.Call first = agent.awaitCall();
        assertThat(first.start().getMedia().getInputAudio()).isTrue();
        var _ =
                rig.request(
                        UpdateSessionRequest.newBuilder()
                                .setSessionId(created.getSessionId())
                                .addRelayAddresses("203.0.113.10:3478")
                                .setOfferSdp(peer.offer().replace("a=sendrecv", "a=inactive"))
                                .build(),
                        rig.control()::updateSession);
        assertThat(first.await(ConverseRequest::hasMediaChanged).getMediaChanged().getInputAudio())
                .isFalse();
        first.agent().close();
        FakeVoiceAgent.Call second = agent.awaitCall();
        assertThat(second.start().getMedia().getInputAudio()).isFalse();
        assertThat(second.start().getMedia().getOutputAudio()).isFalse();
    }

    @Test
    void goesOnWithAnotherReplica() {
        FakeVoiceAgent.Call first = connect();
        speak(0, 3);
        for (long expected = 0; expected < 3; expected++) {
            assertThat(nextSequence(first)).isEqualTo(expected);
        }
        first.agent().close();
        FakeVoiceAgent.Call second = agent.awaitCall();
        assertThat(second.agent()).isNotSameAs(first.agent());
        assertThat(second.start().getSessionId()).isEqualTo(first.start().getSessionId());
        Resume resume = second.start().getResume();
        assertThat(resume.getStreamsBefore()).isEqualTo(1);
        assertThat(resume.getReason()).isNotEmpty();
        assertThat(resume.getNextSequenceNumber()).isEqualTo(3);
        assertThat(resume.getAudioOffsetMs()).isEqualTo(40);
        speak(3, 1);
        assertThat(nextSequence(second)).isEqualTo(3);
        say(second, "r", 1);
        rig.advanceUntil(() -> peer.speech().size() == 1);
        assertThat(rig.links().count(LinkEvent.BROKEN)).isEqualTo(1);
        assertThat(rig.links().count(LinkEvent.RESUMED)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {"UNAVAILABLE", "UNKNOWN", "INTERNAL", "ABORTED", "DEADLINE_EXCEEDED"})
    void goesOnAfterAStatusThatIsNoVerdict(Status.Code code) {
        connect().fail(code.toStatus().withDescription("crash"));
        assertThat(agent.awaitCall().start().getResume().getReason()).isEqualTo(code + ": crash");
        assertThat(rig.calls().count()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {
                "INVALID_ARGUMENT",
                "NOT_FOUND",
                "PERMISSION_DENIED",
                "UNAUTHENTICATED",
                "UNIMPLEMENTED",
                "RESOURCE_EXHAUSTED"
            })
    void endsWithAVerdict(Status.Code code) {
        connect().fail(code.toStatus());
        rig.pump(() -> rig.calls().count() == 0);
        assertThat(rig.links().count(LinkEvent.BROKEN)).isZero();
    }

    @Test
    void playsOnWhatWasSaidAndReportsItToTheNextStream() {
        FakeVoiceAgent.Call first = connect();
        say(first, "r", 50);
        first.mark("told");
        rig.advanceUntil(() -> peer.speech().size() >= 10);
        first.fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        Resume resume = second.start().getResume();
        assertThat(resume.getResponseId()).isEqualTo("r");
        assertThat(resume.getAudioEndMs()).isBetween(200L, 1_000L);
        assertThat(resume.getAudioEndMs() + resume.getQueuedMs()).isBetween(980L, 1_020L);
        rig.advanceUntil(() -> peer.speech().size() == 50);
        MarkReached told = await(second, ConverseRequest::hasMarkReached).getMarkReached();
        assertThat(told.getName()).isEqualTo("told");
        assertThat(told.getCleared()).isFalse();
        rig.advance(100);
        PlaybackStopped stopped =
                await(second, ConverseRequest::hasPlaybackStopped).getPlaybackStopped();
        assertThat(stopped.getAudioEndMs()).isEqualTo(1_000);
    }

    @Test
    void letsTheNextStreamCutWhatTheFormerOneSaid() {
        FakeVoiceAgent.Call first = connect();
        say(first, "r", 200);
        rig.advanceUntil(() -> peer.speech().size() >= 10);
        first.fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        second.clear("r");
        rig.advanceUntil(
                () -> second.received().stream().anyMatch(ConverseRequest::hasPlaybackCleared));
        int heard = peer.speech().size();
        assertThat(heard).isLessThan(200);
        rig.advance(100);
        assertThat(peer.speech()).hasSize(heard);
    }

    @Test
    void letsTheNextStreamUseNamesAnew() {
        FakeVoiceAgent.Call first = connect();
        say(first, "r", 5);
        rig.advanceUntil(() -> peer.speech().size() == 5);
        first.clear("r");
        await(first, ConverseRequest::hasPlaybackCleared);
        first.fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        say(second, "r", 5);
        rig.advanceUntil(() -> peer.speech().size() == 10);
        rig.advance(100);
        assertThat(
                        await(second, ConverseRequest::hasPlaybackStopped)
                                .getPlaybackStopped()
                                .getAudioEndMs())
                .isEqualTo(100);
        assertThat(rig.audio().count(AudioDrop.OUTPUT_CLEARED)).isZero();
    }

    @Test
    void endsAPauseThatNobodyCouldEnd() {
        FakeVoiceAgent.Call first = connect();
        say(first, "r", 20);
        rig.advanceUntil(() -> peer.speech().size() >= 5);
        first.send(ConverseResponse.newBuilder().setPauseAudio(PauseAudio.newBuilder()).build());
        rig.advanceUntil(
                () -> first.received().stream().anyMatch(ConverseRequest::hasPlaybackPaused));
        first.fail(Status.UNAVAILABLE);
        var _ = agent.awaitCall();
        rig.advanceUntil(() -> peer.speech().size() == 20);
    }

    @Test
    void keepsTheLatestInputForTheNextStream() {
        AtomicInteger starts = new AtomicInteger();
        use(
                start ->
                        starts.incrementAndGet() == 1
                                ? FakeVoiceAgent.opus().apply(start)
                                : "nothing yet",
                PATIENT);
        FakeVoiceAgent.Call first = connect();
        speak(0, 1);
        assertThat(nextSequence(first)).isZero();
        first.fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        for (int i = 1; i <= 150; i++) {
            speak(i, 1);
        }
        assertThat(rig.audio().count(AudioDrop.INPUT_INFERENCE_LOST)).isEqualTo(50);
        second.send(
                ConverseResponse.newBuilder()
                        .setSessionReady((SessionReady) FakeVoiceAgent.opus().apply(second.start()))
                        .build());
        for (long expected = 51; expected <= 150; expected++) {
            assertThat(nextSequence(second)).isEqualTo(expected);
        }
    }

    @Test
    void endsWhenNobodyGoesOnInTime() {
        use(FakeVoiceAgent.opus(), reconnectingFor(Duration.ofMillis(300)));
        connect();
        agent.close();
        other.close();
        rig.pump(() -> rig.calls().count() == 0);
        assertThat(rig.links().count(LinkEvent.GIVEN_UP)).isEqualTo(1);
        rig.pump(() -> peer.closedByServer().isDone());
    }

    @Test
    void endsAtOnceWhenNoReconnectingIsWanted() {
        use(FakeVoiceAgent.opus(), reconnectingFor(Duration.ZERO));
        connect().fail(Status.UNAVAILABLE);
        rig.pump(() -> rig.calls().count() == 0);
        assertThat(rig.links().count(LinkEvent.BROKEN)).isZero();
    }

    @Test
    void doesNotFollowABackendThatFailsWithoutEnd() {
        use(FakeVoiceAgent.opus(), reconnectingFor(Duration.ofMillis(400)));
        connect().fail(Status.INTERNAL);
        int streams = 1;
        while (rig.calls().count() > 0 && streams < 100) {
            FakeVoiceAgent.Call next = agent.pollCall();
            if (next == null) {
                rig.run();
            } else {
                streams++;
                next.fail(Status.INTERNAL);
            }
        }
        assertThat(streams).isLessThan(20);
    }

    @Test
    void endsWhenTheNextBackendChoosesOtherFormats() {
        AtomicInteger starts = new AtomicInteger();
        use(
                start ->
                        (starts.incrementAndGet() == 2
                                        ? FakeVoiceAgent.accepting(
                                                AudioEncoding.AUDIO_ENCODING_OPUS,
                                                AudioEncoding.AUDIO_ENCODING_LINEAR16)
                                        : FakeVoiceAgent.opus())
                                .apply(start),
                PATIENT);
        connect().fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        assertThat(second.await(ConverseRequest::hasSessionEnd).getSessionEnd().getMessage())
                .isEqualTo("session_ready chose other formats than the stream before");
        assertThat(second.awaitEnd()).isEqualTo("completed");
        rig.pump(() -> rig.calls().count() == 0);
    }

    @Test
    void sendsAgainWhatNoTokenCovers() {
        ByteString token = ByteString.copyFromUtf8("here");
        use(
                _ ->
                        ((SessionReady)
                                        FakeVoiceAgent.opus()
                                                .apply(SessionStart.getDefaultInstance()))
                                .toBuilder()
                                        .setResumeToken(ByteString.copyFromUtf8("begun"))
                                        .build(),
                PATIENT);
        FakeVoiceAgent.Call first = connect();
        say(first, "r", 5);
        first.mark("a");
        first.mark("b");
        rig.advanceUntil(() -> peer.speech().size() == 5);
        long a = await(first, ConverseRequest::hasMarkReached).getEventNumber();
        long b = await(first, ConverseRequest::hasMarkReached).getEventNumber();
        assertThat(b).isEqualTo(a + 1);
        first.send(
                ConverseResponse.newBuilder()
                        .setResumePoint(ResumePoint.newBuilder().setToken(token).setEventNumber(a))
                        .build());
        // Behind the point, so that it has been read.
        first.mark("c");
        long c = await(first, ConverseRequest::hasMarkReached).getEventNumber();
        first.fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        Resume resume = second.start().getResume();
        assertThat(resume.getToken()).isEqualTo(token);
        assertThat(resume.getLastEventNumber()).isGreaterThanOrEqualTo(c);
        ConverseRequest again = await(second, r -> r.getEventNumber() > 0);
        assertThat(again.getEventNumber()).isEqualTo(b);
        assertThat(again.getMarkReached().getName()).isEqualTo("b");
    }

    @Test
    void sendsNothingAgainWithoutAToken() {
        FakeVoiceAgent.Call first = connect();
        first.mark("a");
        await(first, ConverseRequest::hasMarkReached);
        first.fail(Status.UNAVAILABLE);
        FakeVoiceAgent.Call second = agent.awaitCall();
        assertThat(second.start().getResume().getToken()).isEmpty();
        second.mark("b");
        ConverseRequest next = await(second, r -> r.getEventNumber() > 0);
        assertThat(next.getEventNumber())
                .isEqualTo(second.start().getResume().getLastEventNumber() + 1);
        assertThat(next.getMarkReached().getName()).isEqualTo("b");
    }

    @Test
    void asksAnotherReplicaWhenOneIsFull() {
        AtomicInteger starts = new AtomicInteger();
        use(
                start ->
                        starts.incrementAndGet() == 1
                                ? Status.RESOURCE_EXHAUSTED
                                : FakeVoiceAgent.opus().apply(start),
                PATIENT);
        connect();
        assertThat(starts).hasValue(2);
        assertThat(rig.links().count(LinkEvent.REFUSED_ELSEWHERE)).isEqualTo(1);
    }

    @Test
    void saysThatAllAreFullEvenIfOneIsDown() {
        use(_ -> Status.RESOURCE_EXHAUSTED.withDescription("no seats"), PATIENT);
        other.close();
        CreateSessionRequest request =
                CreateSessionRequest.newBuilder()
                        .setOfferSdp(peer.offer())
                        .setModel("model")
                        .addRelayAddresses("203.0.113.10:3478")
                        .build();
        Status status =
                catchThrowableOfType(
                                StatusRuntimeException.class,
                                () -> rig.request(request, rig.control()::createSession))
                        .getStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(status.getDescription()).isEqualTo("no seats");
    }

    @Test
    void movesBetweenTurnsWhenTheBackendWantsToStop() {
        FakeVoiceAgent.Call first = connect();
        say(first, "r", 20);
        first.send(
                ConverseResponse.newBuilder().setHandover(Handover.getDefaultInstance()).build());
        rig.advanceUntil(() -> peer.speech().size() == 20);
        FakeVoiceAgent.Call second = agent.awaitCall();
        assertThat(second.agent()).isNotSameAs(first.agent());
        assertThat(second.start().getResume().getQueuedMs()).isLessThan(20);
        assertThat(first.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason())
                .isEqualTo(EndReason.END_REASON_MOVED);
        assertThat(first.awaitEnd()).isEqualTo("completed");
        say(second, "r", 5);
        rig.advanceUntil(() -> peer.speech().size() == 25);
        speak(0, 1);
        assertThat(nextSequence(second)).isZero();
        assertThat(rig.links().count(LinkEvent.MOVED)).isEqualTo(1);
        assertThat(rig.links().count(LinkEvent.BROKEN)).isZero();
    }

    @Test
    void movesWhenTheBackendClosesItsConnectionToNewStreams() {
        FakeVoiceAgent.Call first = connect();
        first.agent().drain();
        FakeVoiceAgent.Call second = agent.awaitCall();
        assertThat(second.agent()).isNotSameAs(first.agent());
        assertThat(first.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason())
                .isEqualTo(EndReason.END_REASON_MOVED);
        assertThat(rig.links().count(LinkEvent.BROKEN)).isZero();
    }
}
