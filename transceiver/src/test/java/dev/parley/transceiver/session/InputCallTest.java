package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.DtmfInput;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtcpReader;
import dev.parley.transceiver.media.AudioDrop;
import dev.parley.transceiver.media.InputRepair;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From the caller's packets to inference. */
class InputCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final Rig rig = Rig.withOpus();
    private final Peer peer = rig.client("actpass", PLACE);

    @AfterEach
    void close() {
        rig.close();
    }

    private FakeVoiceAgent.Call connect() {
        rig.connect(peer);
        return rig.agent().awaitCall();
    }

    private void send(int sequence) {
        peer.sendOpus(sequence, sequence * 960, (byte) 0xF8, (byte) sequence);
        rig.run();
    }

    /** Packets as they were sent, to be delivered in any order. */
    private byte[][] packets(int first, int count) {
        byte[][] packets = new byte[count][];
        for (int i = 0; i < count; i++) {
            int sequence = first + i;
            packets[i] =
                    peer.protect(
                            Peer.SSRC,
                            sequence,
                            sequence * 960,
                            Peer.OPUS,
                            -1,
                            (byte) 0xF8,
                            (byte) sequence);
        }
        return packets;
    }

    private void deliver(byte[] packet) {
        // Received in place, so a second delivery needs a copy.
        rig.arrive(PLACE, packet.clone());
        rig.run();
    }

    private static void assertNext(FakeVoiceAgent.Call call, int packet, long offsetMillis) {
        InputAudio audio = call.await(ConverseRequest::hasInputAudio).getInputAudio();
        assertThat(audio.getAudio().byteAt(1)).isEqualTo((byte) packet);
        assertThat(audio.getAudioOffsetMs()).isEqualTo(offsetMillis);
    }

    @Test
    void ordersPacketsAndKeepsTheirTimes() {
        FakeVoiceAgent.Call call = connect();
        byte[][] packets = packets(10, 4);
        for (int index : new int[] {0, 2, 1, 3}) {
            deliver(packets[index]);
        }
        assertNext(call, 10, 0);
        assertNext(call, 11, 20);
        assertNext(call, 12, 40);
        assertNext(call, 13, 60);
    }

    @Test
    void goesOnWithoutAMissingPacketAfter60Millis() {
        FakeVoiceAgent.Call call = connect();
        byte[][] packets = packets(1, 3);
        deliver(packets[0]);
        deliver(packets[2]);
        assertNext(call, 1, 0);
        assertThat(call.received()).noneMatch(ConverseRequest::hasInputAudio);
        rig.advance(60);
        assertNext(call, 3, 40);
        deliver(packets[1]);
        deliver(packets[2]);
        assertThat(rig.counters()).containsEntry("rtp_late", 1L).containsEntry("srtp_replayed", 1L);
    }

    @Test
    void followsASenderThatChangesItsSource() {
        FakeVoiceAgent.Call call = connect();
        send(1);
        rig.advance(1_000);
        peer.sendOpusFrom(77, 60_000, 123_456, (byte) 0xF8, (byte) 2);
        peer.sendOpusFrom(77, 60_001, 124_416, (byte) 0xF8, (byte) 3);
        // A straggler of the old source must not switch back.
        send(2);
        assertNext(call, 1, 0);
        assertNext(call, 2, 1_000);
        assertNext(call, 3, 1_020);
        assertThat(rig.counters()).containsEntry("rtp_old_source", 1L);
    }

    private void sayGoodbye(int ssrc) {
        peer.sendRtcp(writer -> writer.receiverReport(ssrc).goodbye(ssrc));
        rig.run();
    }

    @Test
    void hearsASourceThatGoesOnAfterItsGoodbye() {
        FakeVoiceAgent.Call call = connect();
        send(65_534);
        send(65_535);
        send(65_536);
        sayGoodbye(Peer.SSRC);
        rig.advance(1_000);
        send(65_537);
        for (int packet = 65_534; packet < 65_537; packet++) {
            assertNext(call, packet, (packet - 65_534) * 20L);
        }
        InputAudio after = call.await(ConverseRequest::hasInputAudio).getInputAudio();
        assertThat(after.getAudio().byteAt(1)).isEqualTo((byte) 1);
        assertThat(rig.counters()).isEmpty();
    }

    @Test
    void hearsTheSourceThatFollowsAGoodbye() {
        FakeVoiceAgent.Call call = connect();
        send(60_000);
        sayGoodbye(Peer.SSRC);
        rig.advance(100);
        // RFC 3550 5.1: it begins anywhere.
        peer.sendOpusFrom(77, 1, 123_456, (byte) 0xF8, (byte) 2);
        peer.sendOpusFrom(77, 2, 124_416, (byte) 0xF8, (byte) 3);
        rig.run();
        assertNext(call, 60_000, 0);
        assertNext(call, 2, 100);
        assertNext(call, 3, 120);
        assertThat(rig.counters()).isEmpty();
    }

    @Test
    void missesNothingBetweenASourceAndTheOneThatFollowsItsGoodbye() {
        FakeVoiceAgent.Call call = connect();
        send(1);
        sayGoodbye(Peer.SSRC);
        peer.sendOpusFrom(77, 60_000, 123_456, (byte) 0xF8, (byte) 2);
        sayGoodbye(77);
        // Said goodbye to, a source gives way at once, even to the one that it replaced.
        send(2);
        assertNext(call, 1, 0);
        assertThat(call.await(ConverseRequest::hasInputAudio).getInputAudio().getConcealedSamples())
                .isZero();
        assertThat(call.await(ConverseRequest::hasInputAudio).getInputAudio().getConcealedSamples())
                .isZero();
        assertThat(rig.loop().table().all().getFirst().snapshot(rig.now()).lost()).isZero();
        assertThat(rig.counters()).isEmpty();
    }

    @Test
    void reportsOnNoSourceThatSaidGoodbye() {
        var _ = connect();
        send(1);
        sayGoodbye(Peer.SSRC);
        peer.rtcpReceived().clear();
        rig.advanceUntil(() -> !peer.rtcpReceived().isEmpty());
        RtcpReader reader = new RtcpReader();
        byte[] report = peer.rtcpReceived().getFirst();
        assertThat(reader.wrap(ByteBuffer.wrap(report), 0, report.length)).isTrue();
        assertThat(reader.next()).isTrue();
        assertThat(reader.reportCount()).isZero();
    }

    @Test
    void followsASequenceNumberThatStartsOver() {
        FakeVoiceAgent.Call call = connect();
        send(1);
        rig.advance(20);
        peer.sendOpus(30_000, 960, (byte) 0xF8, (byte) 2);
        peer.sendOpus(30_001, 1_920, (byte) 0xF8, (byte) 3);
        rig.run();
        assertNext(call, 1, 0);
        // RFC 3550 A.1: the first packet after the jump is not believed yet.
        InputAudio after = call.await(ConverseRequest::hasInputAudio).getInputAudio();
        assertThat(after.getAudio().byteAt(1)).isEqualTo((byte) 3);
        assertThat(rig.counters()).containsEntry("rtp_sequence_jump", 1L);
    }

    @Test
    void dropsWhatIsNotTheNegotiatedAudio() {
        FakeVoiceAgent.Call call = connect();
        byte[] video = peer.protect(Peer.SSRC, 1, 0, 96, -1, (byte) 0xF8, (byte) 1);
        rig.arrive(PLACE, video);
        peer.sendOpus(2, 960);
        peer.sendOpus(3, 1_920, (byte) 0xFB);
        peer.sendOpus(4, 2_880, (byte) 0xF8, (byte) 4);
        rig.run();
        InputAudio audio = call.await(ConverseRequest::hasInputAudio).getInputAudio();
        assertThat(audio.getAudio().byteAt(1)).isEqualTo((byte) 4);
        assertThat(rig.counters()).containsEntry("rtp_payload_type", 1L);
        assertThat(rig.audio().count(AudioDrop.INPUT_MALFORMED)).isEqualTo(2);
    }

    @Test
    void marksTheFirstPacketThatIsTaken() {
        var _ = connect();
        SetupPhases phases = rig.loop().table().all().getFirst().phases();
        rig.arrive(PLACE, peer.protect(Peer.SSRC, 1, 0, 96, -1, (byte) 0xF8, (byte) 1));
        rig.run();
        assertThat(phases.has(SetupPhases.Phase.FIRST_RTP)).isFalse();
        peer.sendOpus(2, 960, (byte) 0xF8, (byte) 2);
        rig.run();
        assertThat(phases.has(SetupPhases.Phase.FIRST_RTP)).isTrue();
    }

    @Test
    void survivesAHundredForgedPackets() {
        FakeVoiceAgent.Call call = connect();
        send(1);
        for (int i = 0; i < 100; i++) {
            byte[] forged = new byte[60];
            forged[0] = (byte) 0x80;
            forged[1] = Peer.OPUS;
            forged[3] = (byte) i;
            rig.arrive(PLACE, forged);
        }
        rig.run();
        send(2);
        assertNext(call, 1, 0);
        assertNext(call, 2, 20);
        assertThat(rig.counters()).containsEntry("srtp_authentication_failed", 100L);
    }

    @Test
    void neverGrowsForAnAgentThatDoesNotRead() {
        try (Rig stuck = new Rig(FakeVoiceAgent.reluctant(), Rig.LIMITS, 30_000)) {
            Peer talker = stuck.client("actpass", PLACE);
            stuck.connect(talker);
            FakeVoiceAgent.Call call = stuck.agent().awaitCall();
            byte[] packet = new byte[1_000];
            packet[0] = (byte) 0xF8;
            int sent = 0;
            while (stuck.audio().count(AudioDrop.INPUT_INFERENCE_SLOW) == 0 && sent < 10_000) {
                talker.sendOpus(sent & 0xFFFF, sent * 960, packet);
                stuck.run();
                sent++;
            }
            assertThat(sent).isLessThan(10_000);
            call.readAll();
            InputAudio last = InputAudio.getDefaultInstance();
            while (last.getSequenceNumber() < sent - 1) {
                InputAudio next = call.await(ConverseRequest::hasInputAudio).getInputAudio();
                assertThat(next.getAudioOffsetMs()).isEqualTo(next.getSequenceNumber() * 20);
                last = next;
            }
        }
    }

    @Test
    void insertsALostPacketFromItsCopyInTheNext() {
        FakeVoiceAgent.Call call = connect();
        // RFC 2198 3: a copy 960 ticks older, then the packet's own.
        peer.send(Peer.RED, 1, 960, red(0, 1));
        peer.send(Peer.RED, 3, 2_880, red(2, 3));
        rig.run();
        assertNext(call, 1, 0);
        assertNext(call, 2, 20);
        assertNext(call, 3, 40);
        assertThat(rig.audio().count(InputRepair.RED)).isOne();
    }

    private static byte[] red(int copy, int own) {
        byte opus = (byte) 0xF8;
        return new byte[] {
            (byte) 0xEF, 0x0F, 0x00, 2, Peer.OPUS, opus, (byte) copy, opus, (byte) own
        };
    }

    @Test
    void countsRedundantAudioThatIsNone() {
        FakeVoiceAgent.Call call = connect();
        send(1);
        peer.send(Peer.RED, 2, 1_920, (byte) 0xEF, (byte) 0x0F);
        peer.send(Peer.RED, 3, 2_880, (byte) 0x08, (byte) 0xF8, (byte) 9);
        rig.run();
        send(4);
        assertNext(call, 1, 0);
        assertNext(call, 4, 60);
        assertThat(rig.audio().count(AudioDrop.INPUT_MALFORMED)).isEqualTo(2);
    }

    @Test
    void tellsAKeyOnceAndTakesNoEventForLostAudio() {
        FakeVoiceAgent.Call call = connect();
        send(1);
        for (int i = 0; i < 8; i++) {
            byte end = (byte) (i < 5 ? 0x0A : 0x8A);
            int duration = Math.min(i + 1, 5) * 960;
            // One of them is lost.
            if (i != 3) {
                peer.send(
                        Peer.DTMF,
                        2 + i,
                        1_920,
                        (byte) 11,
                        end,
                        (byte) (duration >> 8),
                        (byte) duration);
            }
            rig.advance(20);
        }
        peer.sendOpus(10, 9_600, (byte) 0xF8, (byte) 10);
        rig.run();
        assertNext(call, 1, 0);
        DtmfInput key = call.await(ConverseRequest::hasDtmfInput).getDtmfInput();
        assertThat(key.getDigit()).isEqualTo("#");
        assertThat(key.getDurationMs()).isEqualTo(100);
        assertNext(call, 10, 180);
        assertThat(call.received()).noneMatch(ConverseRequest::hasDtmfInput);
    }

    @Test
    void asksForAMissingPacketWhenTheRoundTripAllows() {
        FakeVoiceAgent.Call call = connect();
        rig.advanceUntil(() -> !peer.rtcpReceived().isEmpty());
        // A report that answers one of ours at once: the round trip is nothing.
        RtcpReader reports = new RtcpReader();
        byte[] compound = peer.rtcpReceived().getLast();
        reports.wrap(ByteBuffer.wrap(compound), 0, compound.length);
        reports.next();
        int middle = (int) (reports.ntpTimestamp() >>> 16);
        peer.sendRtcp(writer -> writer.receiverReport(Peer.SSRC).report(ours(), echo(middle), 0));
        byte[][] packets = packets(1, 3);
        deliver(packets[0]);
        deliver(packets[2]);
        byte[] request = peer.rtcpReceived().getLast();
        // RFC 4585 6.2.1: the source and the packet's number.
        assertThat(HexFormat.of().formatHex(request)).endsWith("12345678" + "00020000");
        rig.advance(5);
        deliver(packets[1]);
        assertNext(call, 1, 0);
        assertNext(call, 2, 20);
        assertNext(call, 3, 40);
        assertThat(rig.audio().count(InputRepair.RETRANSMISSION)).isOne();
    }

    private int ours() {
        return peer.received().getFirst().ssrc();
    }

    private static ReceptionStatistics echo(int middle) {
        ReceptionStatistics statistics = new ReceptionStatistics(48_000);
        statistics.receive(1, 1, 0);
        statistics.receiveSenderReport((long) middle << 16, 0);
        statistics.endInterval();
        return statistics;
    }
}
