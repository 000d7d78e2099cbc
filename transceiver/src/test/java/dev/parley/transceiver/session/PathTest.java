package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.PacketKind;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where packets may come from and where answers go. */
class PathTest {
    private static final Address CLIENT = Address.ipv4(1, 50_001);
    private static final Place HEADED = new Place(CLIENT, true);
    private static final Place PLAIN = new Place(CLIENT, false);

    private final Rig rig = Rig.withOpus();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void refusesHeadersFromOutsideTheRelays() {
        Peer peer = rig.client("actpass", HEADED);
        rig.create(peer);
        rig.useRelay(Address.ipv4(100, 4_000));
        peer.check(rig.now());
        rig.run();
        assertThat(rig.counters()).containsOnly(java.util.Map.entry("foreign_header", 1L));
        assertThat(peer.ice().state()).isEqualTo(IceControlling.State.CHECKING);
    }

    @Test
    void leavesTheSessionUntouchedByAWrongPassword() {
        Peer peer = rig.client("actpass", PLAIN);
        CreateSessionResponse created = rig.create(peer);
        peer.check("wrongwrongwrongwrongwrong", rig.now());
        rig.run();
        assertThat(rig.counters()).containsEntry("ice_wrong_integrity", 1L);
        assertThat(rig.describe(created).getState()).isEqualTo(SessionState.SESSION_STATE_NEW);
        assertThat(rig.describe(created).getSetup().hasFirstCheckMs()).isFalse();
    }

    @Test
    void answersThroughTheRelayThatDeliveredLast() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        peer.sendOpus(1, 960, (byte) 0xF8, (byte) 1);
        rig.run();
        // From now on the rig fails if anything goes to the first relay.
        rig.useRelay(Rig.OTHER_RELAY);
        peer.sendOpus(2, 1_920, (byte) 0xF8, (byte) 1);
        rig.run();
        int before = peer.received().size();
        rig.advance(100);
        assertThat(peer.received()).hasSizeGreaterThanOrEqualTo(before + 5);
    }

    @Test
    void doesNotFollowARelayWhosePacketsAreNotAuthentic() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        byte[] packet = peer.protect(Peer.SSRC, 7, 960, Peer.OPUS, -1, (byte) 0xF8, (byte) 1);
        packet[packet.length - 1] ^= 1;
        rig.arriveHeaded(Rig.OTHER_RELAY, CLIENT, packet);
        rig.run();
        assertThat(rig.counters()).containsEntry("srtp_authentication_failed", 1L);
        rig.advance(100);
    }

    @Test
    void movesToANewAddressWithItsCheckOnly() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        Address rebound = Address.ipv4(1, 60_000);
        byte[] media = peer.protect(Peer.SSRC, 3, 960, Peer.OPUS, -1, (byte) 0xF8, (byte) 1);
        rig.arriveHeaded(Rig.RELAY, rebound, media);
        rig.run();
        assertThat(rig.counters()).containsEntry("unknown_peer", 1L);

        rig.rebind(HEADED, new Place(rebound, true));
        peer.consent(rig.now());
        rig.run();
        int before = peer.received().size();
        rig.advance(100);
        assertThat(peer.received().size()).isGreaterThan(before);
        peer.sendOpus(4, 1_920, (byte) 0xF8, (byte) 1);
        rig.run();
        call.await(ConverseRequest::hasInputAudio);
    }

    @Test
    void goesOnAtANewAddressWhereTheClientAnswers() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        rig.rebind(HEADED, new Place(Address.ipv4(1, 60_000), true));
        peer.consent(rig.now());
        rig.advance(10);
        int before = peer.received().size();
        // More than anybody gets who does not answer.
        rig.advance(20_000);
        assertThat(peer.received()).hasSizeBetween(before + 995, before + 1_005);
    }

    @Test
    void sendsLittleWhereNobodyAnswersWhateverComesFromThere() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        Wire wire = new Wire();
        rig.useNetwork(wire);
        rig.rebind(HEADED, new Place(Address.ipv4(66, 6_666), true));
        for (int second = 1; second <= 45; second++) {
            peer.consent(rig.now());
            for (int i = 0; i < 50; i++) {
                peer.sendOpus(second * 50 + i, 960 * (second * 50 + i), new byte[80]);
                rig.advance(20);
            }
        }
        assertThat(wire.mediaBytes(6_666)).isBetween(50_000, 65_536);
        int after = wire.mediaBytes(6_666);
        rig.advance(1_000);
        assertThat(wire.mediaBytes(6_666)).isEqualTo(after);
    }

    @Test
    void sendsAtOnceWhereItsClientIsSilent() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        Wire wire = new Wire();
        rig.useNetwork(wire);
        rig.rebind(HEADED, new Place(Address.ipv4(66, 6_666), true));
        peer.consent(rig.now());
        rig.advance(500);
        assertThat(wire.mediaPackets(6_666)).isBetween(24, 26);
        rig.advance(20_000);
        assertThat(wire.mediaBytes(6_666)).isLessThan(5_000);
    }

    @Test
    void followsMediaToANewAddressOnceTheOldOneIsSilent() {
        Peer peer = rig.client("actpass", HEADED);
        rig.connect(peer);
        Wire wire = new Wire();
        rig.useNetwork(wire);
        peer.sendOpus(0, 0, new byte[80]);
        rig.run();
        peer.nominateNoMore(rig.now());
        rig.rebind(HEADED, new Place(Address.ipv4(1, 60_000), true));
        peer.check(rig.now());
        for (int i = 0; i < 60; i++) {
            peer.sendOpus(i + 1, (i + 1) * 960, new byte[80]);
            rig.advance(20);
            int packets = wire.mediaPackets(60_000);
            assertThat(packets > 0).as("after %d packets", i).isEqualTo(i >= 50);
        }
    }

    @Test
    void keepsAHelloThatOvertookTheCheck() {
        // The client is the DTLS client, and its hello comes first.
        Peer peer = rig.client("active", HEADED);
        rig.create(peer);
        peer.startDtls();
        rig.pump(() -> rig.taken() > 0);
        peer.check(rig.now());
        rig.pump(peer::dtlsDone);
        assertThat(rig.counters()).doesNotContainKey("unknown_peer");
    }

    @Test
    void keepsAHelloThatOvertookTheCheckOfAnotherPath() {
        try (Rig patient =
                new Rig(
                        new FakeVoiceAgent(FakeVoiceAgent.opus(), false),
                        Rig.LIMITS,
                        600_000,
                        3,
                        1_000_000_000_000L,
                        600_000)) {
            // Neither side sends anything again.
            Peer peer = patient.client("active", HEADED).withResend(600_000);
            patient.create(peer);
            peer.check(patient.now());
            patient.run();
            patient.rebind(HEADED, new Place(Address.ipv4(1, 60_000), true));
            int taken = patient.taken();
            peer.startDtls();
            patient.pump(() -> patient.taken() > taken);
            peer.consent(patient.now());
            patient.pump(peer::dtlsDone);
            assertThat(patient.counters()).doesNotContainKey("unknown_peer");
        }
    }

    @Test
    void countsHellosThatWaitInVain() {
        byte[] hello = new byte[64];
        hello[0] = 22;
        hello[1] = (byte) 0xFE;
        hello[2] = (byte) 0xFD;
        for (int i = 0; i < 70; i++) {
            rig.arrive(PLAIN, hello);
        }
        rig.run();
        assertThat(rig.counters()).containsExactly(Map.entry("unknown_peer", 6L));
    }

    @Test
    void keepsMediaThatOvertookTheHandshakeUncounted() {
        Peer peer = rig.client("actpass", HEADED);
        rig.create(peer);
        peer.check(rig.now());
        byte[] rtp = new byte[64];
        rtp[0] = (byte) 0x80;
        rig.arrive(HEADED, rtp);
        rig.run();
        assertThat(rig.counters()).isEmpty();
    }

    @Test
    void keepsTwoSessionsOnOneAddressApart() {
        Peer first = rig.client("actpass", HEADED);
        rig.connect(first);
        FakeVoiceAgent.Call firstCall = rig.agent().awaitCall();
        Peer second = rig.client("actpass", HEADED);
        rig.connect(second);
        FakeVoiceAgent.Call secondCall = rig.agent().awaitCall();
        for (int i = 0; i < 5; i++) {
            first.sendOpus(i, i * 960, (byte) 0xF8, (byte) 1);
            second.sendOpus(i, i * 960, (byte) 0xF8, (byte) 2);
            rig.run();
        }
        for (int i = 0; i < 5; i++) {
            assertThat(audio(firstCall)).containsExactly(0xF8, 1);
            assertThat(audio(secondCall)).containsExactly(0xF8, 2);
        }
        assertThat(rig.counters()).doesNotContainKey("srtp_authentication_failed");
    }

    @Test
    void triesTheOtherSessionOfAnAddressWhateverTheFirstOneSays() {
        Peer first = rig.client("actpass", HEADED);
        rig.connect(first);
        FakeVoiceAgent.Call firstCall = rig.agent().awaitCall();
        Peer second = rig.client("actpass", HEADED);
        rig.connect(second);
        for (int i = 0; i < 5; i++) {
            second.sendOpus(300 + i, i * 960, (byte) 0xF8, (byte) 2);
            rig.run();
        }
        // The same source as the other's, and for that one too old, and played back.
        for (int sequence : new int[] {1, 2, 300, 301, 302}) {
            first.sendOpus(sequence, sequence * 960, (byte) 0xF8, (byte) 1);
            rig.run();
        }
        assertThat(rig.loop().counters().rtpReceived.get()).isEqualTo(10);
        assertThat(audio(firstCall)).containsExactly(0xF8, 1);
    }

    private static byte[] audio(FakeVoiceAgent.Call call) {
        return call.await(ConverseRequest::hasInputAudio).getInputAudio().getAudio().toByteArray();
    }

    @Test
    void countsWhatTheKernelDropsOnceASecond() {
        LongSupplier full =
                Objects.requireNonNull(
                        new LoopMetrics(List.of(rig.loop()))
                                .udpRefusals()
                                .get("receive_queue_full"));
        rig.run();
        rig.advance(3_000);
        assertThat(full.getAsLong()).isEqualTo(4);
    }

    /** Counts what is sent, by the client's port, and delivers nothing. */
    private static final class Wire implements Rig.Network {
        private final Map<Integer, List<Integer>> media = new HashMap<>();
        private final ClientHeader header = new ClientHeader();

        int mediaPackets(int port) {
            return media.getOrDefault(port, List.of()).size();
        }

        int mediaBytes(int port) {
            return media.getOrDefault(port, List.of()).stream().mapToInt(Integer::intValue).sum();
        }

        @Override
        public void sent(Address to, byte[] datagram) {
            ByteBuffer bytes = ByteBuffer.wrap(datagram);
            assertThat(header.wrap(bytes, 0, datagram.length)).isTrue();
            PacketKind kind =
                    PacketKind.classify(bytes, header.payloadOffset(), header.payloadLength());
            if (kind == PacketKind.RTP || kind == PacketKind.RTCP) {
                media.computeIfAbsent(header.clientPort(), _ -> new ArrayList<>())
                        .add(header.payloadLength());
            }
        }

        @Override
        public void advanceTo(long nowNanos) {}
    }

    @Test
    void countsGarbageAndAnswersNothing() {
        rig.arrive(PLAIN, new byte[] {(byte) 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        rig.arrive(PLAIN, new byte[0]);
        rig.arrive(PLAIN, new byte[64]);
        byte[] rtp = new byte[64];
        rtp[0] = (byte) 0x80;
        rig.arrive(PLAIN, rtp);
        rig.arriveHeaded(Rig.RELAY, CLIENT, new byte[0]);
        rig.run();
        assertThat(rig.counters())
                .containsEntry("unknown_kind", 3L)
                .containsEntry("stun_malformed", 1L)
                .containsEntry("unknown_peer", 1L)
                .doesNotContainKey("internal_error");
    }
}
