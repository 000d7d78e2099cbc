package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.parley.proto.control.ErrorTrailers;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** ICE restarts and trickled candidates of a call, RFC 8839 4.4 and RFC 8840. */
class RestartCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final Rig rig = Rig.withOpus();

    @AfterEach
    void close() {
        rig.close();
    }

    private UpdateSessionResponse update(
            CreateSessionResponse call, UpdateSessionRequest.Builder change) {
        return rig.request(
                change.setSessionId(call.getSessionId())
                        .addRelayAddresses("203.0.113.10:3478")
                        .build(),
                rig.control()::updateSession);
    }

    private UpdateSessionResponse offer(CreateSessionResponse call, String offer) {
        return update(call, UpdateSessionRequest.newBuilder().setOfferSdp(offer));
    }

    private static UpdateSessionRequest.Builder fragment(String... lines) {
        return UpdateSessionRequest.newBuilder().setIceFragment(String.join("\r\n", lines));
    }

    private static UpdateSessionRequest.Builder restartFragment(Peer peer) {
        return fragment(
                        "m=audio 9 UDP/TLS/RTP/SAVPF 0",
                        "a=mid:0",
                        "a=ice-ufrag:" + peer.local().ufrag(),
                        "a=ice-pwd:" + peer.local().password(),
                        "a=candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host")
                .setIceRestart(true);
    }

    private static List<String> lines(String sdp, String... beginnings) {
        return sdp.lines()
                .filter(line -> Arrays.stream(beginnings).anyMatch(line::startsWith))
                .toList();
    }

    /** Lets the call go on for half a second and answers the packets that the client got. */
    private int packetsInHalfASecond(Peer peer) {
        int before = peer.received().size();
        for (int i = 0; i < 25; i++) {
            peer.check(rig.now());
            rig.advance(20);
        }
        return peer.received().size() - before;
    }

    @Test
    void restartsByANewOfferFromTheSameAddressWithoutAGap() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);

        UpdateSessionResponse changed = offer(call, peer.restartIce().offer());
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        peer.answer(changed.getAnswerSdp(), rig.now());
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        assertThat(peer.ice().state()).isEqualTo(IceControlling.State.CONNECTED);

        peer.sendOpus(1, 960, (byte) 0xF8, (byte) 1);
        rig.run();
        FakeVoiceAgent.Call agent = rig.agent().awaitCall();
        agent.await(ConverseRequest::hasInputAudio);
        assertThat(rig.counters()).isEmpty();
    }

    @Test
    void answersTheNewOfferLikeTheFirstButForTheCredentials() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        String first = call.getAnswerSdp();
        UpdateSessionResponse changed = offer(call, peer.restartIce().offer());
        String second = changed.getAnswerSdp();

        assertThat(changed.getIceGeneration()).isEqualTo(1);
        assertThat(lines(second, "a=ice-ufrag", "a=ice-pwd"))
                .doesNotContainAnyElementsOf(lines(first, "a=ice-ufrag", "a=ice-pwd"));
        String[] changing = {"o=", "a=ice-ufrag", "a=ice-pwd"};
        assertThat(second.lines().filter(line -> !lines(line, changing).equals(List.of(line))))
                .containsExactlyElementsOf(
                        first.lines()
                                .filter(line -> !lines(line, changing).equals(List.of(line)))
                                .toList());
        // RFC 8866 5.2: the same session, one version on.
        String[] before = lines(first, "o=").getFirst().split(" ", -1);
        String[] after = lines(second, "o=").getFirst().split(" ", -1);
        assertThat(after[1]).isEqualTo(before[1]);
        assertThat(Long.parseLong(after[2])).isEqualTo(Long.parseLong(before[2]) + 1);
    }

    @Test
    void keepsItsDtlsRoleWhenTheClientOffersActpassLater() {
        // RFC 8842 5.5: later offers are actpass, whatever the first one was.
        Peer peer = rig.client("active", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        String later = peer.restartIce().offer().replace("a=setup:active", "a=setup:actpass");

        assertThat(offer(call, later).getAnswerSdp()).contains("a=setup:passive\r\n");
    }

    @Test
    void answersAnOfferWithTheSameCredentialsWithTheSameCredentials() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        UpdateSessionResponse changed = offer(call, peer.offer());

        assertThat(changed.getIceGeneration()).isZero();
        assertThat(lines(changed.getAnswerSdp(), "a=ice-"))
                .isEqualTo(lines(call.getAnswerSdp(), "a=ice-"));
    }

    @Test
    void restartsByAFragmentAndAgainWhenItsAnswerWasLost() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        peer.restartIce();

        UpdateSessionResponse lost = update(call, restartFragment(peer));
        UpdateSessionResponse answer = update(call, restartFragment(peer));
        assertThat(answer).isEqualTo(lost);
        assertThat(answer.getIceGeneration()).isEqualTo(1);
        assertThat(answer.getIceFragment())
                .contains("a=candidate:1 1 udp 2130706431 203.0.113.10 3478 typ host\r\n");
        peer.answerFragment(answer.getIceFragment(), rig.now());
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        assertThat(peer.ice().state()).isEqualTo(IceControlling.State.CONNECTED);
        assertThat(rig.calls().restarts()).isEqualTo(1);
        assertThat(rig.describe(call).getIceGeneration()).isEqualTo(1);
    }

    @Test
    void movesToANewAddressByARestart() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        UpdateSessionResponse changed = offer(call, peer.restartIce().offer());
        rig.rebind(PLACE, new Place(Address.ipv4(7, 60_000), true));
        peer.answer(changed.getAnswerSdp(), rig.now());
        peer.check(rig.now());
        rig.run();
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
    }

    @Test
    void restartsTwentyTimes() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        for (int generation = 1; generation <= 20; generation++) {
            UpdateSessionResponse changed = offer(call, peer.restartIce().offer());
            assertThat(changed.getIceGeneration()).isEqualTo(generation);
            peer.answer(changed.getAnswerSdp(), rig.now());
            assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
            assertThat(peer.ice().state()).isEqualTo(IceControlling.State.CONNECTED);
        }
    }

    @Test
    void outlivesTheRotationOfRouteKeys() {
        Peer old = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(old);
        byte[] fresh = new byte[16];
        fresh[0] = 1;
        rig.useKeys(RouteKeys.of(Map.of(1, new byte[16], 2, fresh)), 2);

        old.consent(rig.now());
        Peer next = rig.client("actpass", new Place(Address.ipv4(2, 50_002), true));
        CreateSessionResponse nextCall = rig.connect(next);
        // Only the new key is left; a restart gives the old call a token of it.
        old.answer(offer(call, old.restartIce().offer()).getAnswerSdp(), rig.now());
        rig.useKeys(RouteKeys.of(Map.of(2, fresh)), 2);
        assertThat(packetsInHalfASecond(old)).isBetween(24, 26);
        assertThat(old.ice().state()).isEqualTo(IceControlling.State.CONNECTED);
        next.consent(rig.now());
        rig.run();
        assertThat(rig.counters()).isEmpty();
        assertThat(rig.describe(nextCall).getIceGeneration()).isZero();
    }

    @Test
    void countsTrickledCandidatesAndSaysNothing() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.create(peer);
        UpdateSessionResponse answer =
                update(
                        call,
                        fragment(
                                "a=ice-ufrag:" + peer.local().ufrag(),
                                "a=ice-pwd:" + peer.local().password(),
                                "a=candidate:1 1 udp 2122260223 x.local 61764 typ host",
                                "a=candidate:2 1 tcp 1518280447 192.0.2.1 9 typ host",
                                "a=end-of-candidates"));
        assertThat(answer).isEqualTo(UpdateSessionResponse.getDefaultInstance());
        assertThat(rig.calls().candidates()).isEqualTo(2);
        assertThat(rig.calls().restarts()).isZero();
    }

    private static UpdateSessionRequest.Builder candidateOf(IceCredentials credentials) {
        return fragment(
                "a=ice-ufrag:" + credentials.ufrag(),
                "a=ice-pwd:" + credentials.password(),
                "a=candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host");
    }

    @Test
    void doesNotRestartForACandidateThatWasOnItsWayDuringARestart() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        IceCredentials first = peer.local();
        UpdateSessionResponse second = offer(call, peer.restartIce().offer());
        UpdateSessionResponse third = update(call, restartFragment(peer.restartIce()));

        for (boolean restarts : new boolean[] {false, true}) {
            UpdateSessionResponse late = update(call, candidateOf(first).setIceRestart(restarts));
            assertThat(late)
                    .isEqualTo(UpdateSessionResponse.newBuilder().setIceGeneration(2).build());
        }
        assertThat(second.getIceGeneration()).isEqualTo(1);
        assertThat(rig.calls().restarts()).isEqualTo(2);
        peer.answerFragment(third.getIceFragment(), rig.now());
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        assertThat(peer.ice().state()).isEqualTo(IceControlling.State.CONNECTED);
    }

    @Test
    void takesAnOfferThatGoesBackToEarlierCredentials() {
        // RFC 9429 4.1.10.2: a rollback brings them back.
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        String first = peer.offer();
        IceCredentials credentials = peer.local();
        offer(call, peer.restartIce().offer());

        UpdateSessionResponse back = offer(call, first);
        assertThat(back.getIceGeneration()).isEqualTo(2);
        assertThat(update(call, candidateOf(credentials).setIceRestart(true)).getIceFragment())
                .isNotEmpty();
    }

    @Test
    void refusesWhatIsMeantForAnEarlierIceSession() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        assertRefused(
                refusal(call, fragment("a=end-of-candidates").setIceGeneration(1)),
                Status.Code.FAILED_PRECONDITION,
                "ice_session_changed");
        assertThat(update(call, fragment("a=end-of-candidates").setIceGeneration(0)))
                .isEqualTo(UpdateSessionResponse.getDefaultInstance());
    }

    @Test
    void holdsAndResumes() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        FakeVoiceAgent.Call agent = rig.agent().awaitCall();
        String offer = peer.offer();

        // The client is on hold: it neither sends nor receives.
        String held = offer(call, offer.replace("a=sendrecv", "a=inactive")).getAnswerSdp();
        assertThat(held).contains("a=inactive\r\n");
        assertThat(lines(held, "a=ice-", "a=mid", "a=setup"))
                .isEqualTo(lines(call.getAnswerSdp(), "a=ice-", "a=mid", "a=setup"));
        assertThat(mediaChanged(agent)).isEqualTo(media(false, false));
        int last = peer.received().getLast().sequence();
        assertThat(packetsInHalfASecond(peer)).isZero();
        peer.sendOpus(1, 960, (byte) 0xF8, (byte) 1);
        rig.run();
        assertThat(rig.counters()).containsEntry("rtp_payload_type", 1L);

        assertThat(offer(call, offer).getAnswerSdp()).contains("a=sendrecv\r\n");
        assertThat(mediaChanged(agent)).isEqualTo(media(true, true));
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        // What was not sent took no sequence numbers.
        assertThat(peer.received().getLast().sequence() - last & 0xFFFF).isBetween(24, 26);
        peer.sendOpus(2, 1_920, (byte) 0xF8, (byte) 2);
        rig.run();
        assertThat(
                        agent.await(ConverseRequest::hasInputAudio)
                                .getInputAudio()
                                .getAudio()
                                .toByteArray())
                .containsExactly(0xF8, 2);
    }

    @Test
    void sendsToAClientThatOnlyListensAndHearsOneThatOnlySpeaks() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        FakeVoiceAgent.Call agent = rig.agent().awaitCall();
        String offer = peer.offer();

        assertThat(offer(call, offer.replace("a=sendrecv", "a=recvonly")).getAnswerSdp())
                .contains("a=sendonly\r\n");
        assertThat(mediaChanged(agent)).isEqualTo(media(false, true));
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        assertThat(offer(call, offer.replace("a=sendrecv", "a=sendonly")).getAnswerSdp())
                .contains("a=recvonly\r\n");
        assertThat(mediaChanged(agent)).isEqualTo(media(true, false));
        assertThat(packetsInHalfASecond(peer)).isZero();
        peer.sendOpus(1, 960, (byte) 0xF8, (byte) 1);
        rig.run();
        agent.await(ConverseRequest::hasInputAudio);
        assertThat(rig.counters()).isEmpty();
    }

    private static CallMedia mediaChanged(FakeVoiceAgent.Call agent) {
        return agent.await(ConverseRequest::hasMediaChanged).getMediaChanged();
    }

    private static CallMedia media(boolean input, boolean output) {
        return CallMedia.newBuilder().setInputAudio(input).setOutputAudio(output).build();
    }

    @Test
    void changesTheDirectionAlongWithAnIceRestartAndBeforeItIsConnected() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.create(peer);
        offer(call, peer.offer().replace("a=sendrecv", "a=sendonly"));
        UpdateSessionResponse changed =
                offer(call, peer.restartIce().offer().replace("a=sendrecv", "a=inactive"));
        assertThat(changed.getIceGeneration()).isEqualTo(1);
        peer.answer(changed.getAnswerSdp(), rig.now());
        peer.check(rig.now());
        rig.run();
        peer.startDtls();
        rig.pump(peer::dtlsDone);
        assertThat(packetsInHalfASecond(peer)).isZero();
        offer(call, peer.offer());
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
    }

    @Test
    void refusesToRenegotiateMedia() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.connect(peer);
        String offer = peer.restartIce().offer();
        for (String other :
                List.of(
                        offer.replace(" 111", " 109").replace(":111", ":109"),
                        offer.replace("a=mid:0", "a=mid:1").replace("BUNDLE 0", "BUNDLE 1"),
                        offer.replace("a=setup:actpass", "a=setup:active"),
                        offer.replaceAll(
                                "a=fingerprint:.*",
                                "a=fingerprint:sha-256 " + "00:".repeat(31) + "00"))) {
            assertRefused(
                    refusal(call, UpdateSessionRequest.newBuilder().setOfferSdp(other)),
                    Status.Code.INVALID_ARGUMENT,
                    "unsupported_renegotiation");
        }
        // Nothing of it has happened.
        assertThat(rig.describe(call).getIceGeneration()).isZero();
        assertThat(packetsInHalfASecond(peer)).isBetween(24, 26);
        assertThat(offer(call, offer).getIceGeneration()).isEqualTo(1);
    }

    @Test
    void refusesNonsense() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse call = rig.create(peer);
        assertRefused(
                refusal(call, fragment("a=ice-ufrag:abcd")),
                Status.Code.INVALID_ARGUMENT,
                "invalid_offer");
        assertRefused(
                refusal(call, UpdateSessionRequest.newBuilder()),
                Status.Code.INVALID_ARGUMENT,
                "nothing_to_change");
        rig.close(call);
        assertRefused(
                refusal(call, fragment("a=end-of-candidates")),
                Status.Code.NOT_FOUND,
                "session_not_found");
    }

    private StatusRuntimeException refusal(
            CreateSessionResponse call, UpdateSessionRequest.Builder change) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> update(call, change));
    }

    private static void assertRefused(
            StatusRuntimeException refusal, Status.Code status, String code) {
        assertThat(refusal.getStatus().getCode()).isEqualTo(status);
        Metadata trailers = Objects.requireNonNull(refusal.getTrailers());
        assertThat(trailers.get(ErrorTrailers.CODE)).isEqualTo(code);
    }
}
