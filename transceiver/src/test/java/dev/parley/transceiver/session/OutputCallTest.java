package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.MarkReached;
import dev.parley.proto.inference.v1.PauseAudio;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.proto.inference.v1.QualityReport;
import dev.parley.proto.inference.v1.ResumeAudio;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtcpReader;
import dev.parley.rtc.rtp.RtcpType;
import dev.parley.transceiver.media.AudioDrop;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From inference to the caller's ear. */
class OutputCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final long MILLI = 1_000_000L;

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

    private static void say(FakeVoiceAgent.Call call, String responseId, int packets) {
        for (int i = 0; i < packets; i++) {
            call.say(responseId, (byte) 0xF8, (byte) (i >> 8), (byte) i, (byte) 0x11);
        }
    }

    @Test
    void readsOnAfterMoreMarksThanMayWait() {
        try (Rig shallow =
                new Rig(new FakeVoiceAgent(FakeVoiceAgent.opus(), false), Rig.LIMITS, 100)) {
            Peer listener = shallow.client("actpass", PLACE);
            shallow.connect(listener);
            FakeVoiceAgent.Call call = shallow.agent().awaitCall();
            say(call, "r", 3);
            for (int i = 0; i < 200; i++) {
                call.mark("m" + i);
            }
            say(call, "s", 1);
            shallow.advanceUntil(() -> listener.speech().size() == 4);
            for (int i = 0; i < 200; i++) {
                assertThat(call.await(ConverseRequest::hasMarkReached).getMarkReached().getName())
                        .isEqualTo("m" + i);
            }
        }
    }

    @Test
    void pacesABurstAndKeepsNumbersContinuous() {
        FakeVoiceAgent.Call call = connect();
        say(call, "r", 100);
        rig.advanceUntil(() -> peer.speech().size() == 100);
        rig.advance(100);
        List<Peer.Received> all = peer.received();
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).nanos() - all.get(i - 1).nanos()).isEqualTo(20 * MILLI);
            assertThat(all.get(i).sequence() - all.get(i - 1).sequence() & 0xFFFF).isEqualTo(1);
            assertThat(all.get(i).timestamp() - all.get(i - 1).timestamp()).isEqualTo(960);
        }
        assertThat(all.stream().filter(Peer.Received::marker)).hasSize(1);
        for (int i = 0; i < 100; i++) {
            assertThat(peer.speech().get(i).payload()).containsExactly(0xF8, i >> 8, i, 0x11);
        }
        PlaybackStopped stopped =
                call.await(ConverseRequest::hasPlaybackStopped).getPlaybackStopped();
        assertThat(stopped.getAudioEndMs()).isEqualTo(2_000);
    }

    @Test
    void sendsAtOnceWhatIsSaidAfterAPause() {
        FakeVoiceAgent.Call call = connect();
        rig.advance(1_000);
        while (rig.now() - peer.received().getLast().nanos() != 5 * MILLI) {
            rig.advance(1);
        }
        say(call, "r", 3);
        // All of it is here when the loop looks, or it would look again a moment later.
        rig.await(() -> rig.memory().bytes() == 3 * 100);
        // Time stands still.
        rig.pump(() -> !peer.speech().isEmpty());
        rig.advance(25);
        assertThat(peer.speech().get(1).nanos() - peer.speech().get(0).nanos())
                .isEqualTo(20 * MILLI);
        assertThat(peer.speech().getFirst().marker()).isTrue();
    }

    @Test
    void isSilentSoonAfterClearAudioAndRefusesWhatWasCleared() {
        FakeVoiceAgent.Call call = connect();
        say(call, "r1", 500);
        rig.advanceUntil(() -> peer.speech().size() == 20);
        call.clear("r1");
        say(call, "r1", 10);
        call.mark("after");
        rig.pump(
                () -> call.received().stream().anyMatch(ConverseRequest::hasMarkReached) || tick());
        long cleared = rig.now();
        int said = peer.speech().size();
        rig.advance(1_000);
        assertThat(peer.speech()).hasSize(said);
        assertThat(peer.speech().getLast().nanos()).isLessThanOrEqualTo(cleared);
        PlaybackCleared report =
                call.await(ConverseRequest::hasPlaybackCleared).getPlaybackCleared();
        assertThat(report.getAudioEndMs()).isEqualTo(said * 20L);
        assertThat(report.getClearedMs()).isEqualTo((500 - said) * 20L);

        say(call, "r2", 5);
        rig.advanceUntil(() -> peer.speech().size() == said + 5);
        assertThat(peer.speech().get(said).marker()).isTrue();
    }

    @Test
    void isSilentSoonHoweverMuchIsQueued() {
        FakeVoiceAgent.Call call = connect();
        // A minute and a half.
        say(call, "r1", 4_500);
        rig.advanceUntil(() -> peer.speech().size() == 5);
        rig.pump(() -> rig.memory().bytes() > 4_400 * 100L);
        call.clear("r1");
        long sent = rig.now();
        rig.pump(
                () ->
                        call.received().stream().anyMatch(ConverseRequest::hasPlaybackCleared)
                                || tick());
        rig.advance(1_000);
        assertThat(peer.speech().getLast().nanos() - sent).isLessThanOrEqualTo(40 * MILLI);
        PlaybackCleared report =
                call.await(ConverseRequest::hasPlaybackCleared).getPlaybackCleared();
        assertThat(report.getAudioEndMs()).isEqualTo(peer.speech().size() * 20L);
        assertThat(report.getClearedMs()).isEqualTo(90_000 - report.getAudioEndMs());
        assertThat(rig.memory().bytes()).isZero();
    }

    @Test
    void pausesAndResumesInTheMiddleOfAResponse() {
        FakeVoiceAgent.Call call = connect();
        say(call, "r1", 50);
        rig.advanceUntil(() -> peer.speech().size() == 10);
        call.send(
                ConverseResponse.newBuilder()
                        .setPauseAudio(PauseAudio.getDefaultInstance())
                        .build());
        rig.pump(
                () ->
                        call.received().stream().anyMatch(ConverseRequest::hasPlaybackPaused)
                                || tick());
        int said = peer.speech().size();
        rig.advance(500);
        assertThat(peer.speech()).hasSize(said);
        assertThat(
                        call.await(ConverseRequest::hasPlaybackPaused)
                                .getPlaybackPaused()
                                .getAudioEndMs())
                .isEqualTo(said * 20L);
        call.send(
                ConverseResponse.newBuilder()
                        .setResumeAudio(ResumeAudio.getDefaultInstance())
                        .build());
        rig.advanceUntil(() -> peer.speech().size() == 50);
        for (int i = 0; i < 50; i++) {
            assertThat(peer.speech().get(i).payload()[2]).isEqualTo((byte) i);
        }
        assertThat(awaitStopped(rig, call).getAudioEndMs()).isEqualTo(1_000);
    }

    @Test
    void goesOnAfterAPauseWhoseEndWasUnreadWhenOthersMakeRoom() {
        FakeVoiceAgent.Call call = connect();
        // As much as there is.
        Backlog others = new Backlog(Long.MAX_VALUE, rig.memory());
        others.addAnyway(0, 1 << 27);
        call.send(
                ConverseResponse.newBuilder()
                        .setPauseAudio(PauseAudio.getDefaultInstance())
                        .build());
        say(call, "r", 1_600);
        call.send(
                ConverseResponse.newBuilder()
                        .setResumeAudio(ResumeAudio.getDefaultInstance())
                        .build());
        // 30 s are read whatever others hold.
        rig.advanceUntil(() -> rig.memory().bytes() >= (1 << 27) + 1_499 * 100L);
        rig.advance(1_000);
        assertThat(peer.speech()).isEmpty();
        assertThat(rig.memory().bytes()).isLessThan((1 << 27) + 1_510 * 100L);

        others.close();
        rig.advanceUntil(() -> !peer.speech().isEmpty());
    }

    @Test
    void losesNoMarkWhenTheCallEnds() {
        CreateSessionResponse created = rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        say(call, "r1", 100);
        call.mark("one");
        say(call, "r2", 1);
        call.mark("two");
        call.say("", new byte[0]);
        // All of it was read when what is no audio was.
        rig.advanceUntil(() -> rig.audio().count(AudioDrop.OUTPUT_INVALID) == 1);
        rig.advanceUntil(() -> peer.speech().size() >= 10);
        rig.close(created);
        PlaybackStopped stopped =
                call.await(ConverseRequest::hasPlaybackStopped).getPlaybackStopped();
        assertThat(stopped.getAudioEndMs()).isEqualTo(peer.speech().size() * 20L);
        for (String name : List.of("one", "two")) {
            MarkReached mark = call.await(ConverseRequest::hasMarkReached).getMarkReached();
            assertThat(mark.getName()).isEqualTo(name);
            assertThat(mark.getCleared()).isTrue();
        }
        assertThat(call.await(ConverseRequest::hasSessionEnd).hasSessionEnd()).isTrue();
        assertThat(rig.memory().bytes()).isZero();
    }

    /** ClearAudio takes effect when the next packet is due, so time has to pass. */
    private boolean tick() {
        rig.advance(1);
        return false;
    }

    @Test
    void stopsReadingAboveTheHighWaterMarkAndDropsNothing() {
        try (Rig narrow =
                new Rig(new FakeVoiceAgent(FakeVoiceAgent.opus(), false), Rig.LIMITS, 1_000)) {
            Peer listener = narrow.client("actpass", PLACE);
            narrow.connect(listener);
            FakeVoiceAgent.Call call = narrow.agent().awaitCall();
            byte[] packet = new byte[1_100];
            packet[0] = (byte) 0xF8;
            int said = 0;
            while (call.isReady() && said < 5_000) {
                call.say("r", packet);
                said++;
            }
            // 1 s is read; what else the backend could write is in buffers of fixed size.
            assertThat(said).isLessThan(1_000);
            int wanted = said;
            narrow.advanceUntil(() -> listener.speech().size() == wanted);
            PlaybackStopped stopped = awaitStopped(narrow, call);
            assertThat(stopped.getAudioEndMs()).isEqualTo(wanted * 20L);
            assertThat(call.isReady()).isTrue();
        }
    }

    @Test
    void dropsWhatIsNoOpusPacketOrTooLongForADatagram() {
        FakeVoiceAgent.Call call = connect();
        call.say("r", new byte[0]);
        call.say("r", new byte[1_173]);
        // Code 3 without its count of frames, RFC 6716 3.2.5.
        call.say("r", (byte) 0xFB);
        byte[] longest = new byte[1_172];
        longest[0] = (byte) 0xF8;
        call.say("r", longest);
        rig.advanceUntil(() -> !peer.speech().isEmpty());
        rig.advance(100);
        assertThat(peer.speech()).hasSize(1);
        assertThat(peer.speech().getFirst().payload()).hasSize(1_172);
        assertThat(rig.audio().count(AudioDrop.OUTPUT_INVALID)).isEqualTo(3);
    }

    private static PlaybackStopped awaitStopped(Rig rig, FakeVoiceAgent.Call call) {
        rig.advance(100);
        return call.await(ConverseRequest::hasPlaybackStopped).getPlaybackStopped();
    }

    @Test
    void reportsToTheClient() {
        CreateSessionResponse created = rig.connect(peer);
        for (int i = 0; i < 100; i++) {
            peer.sendOpus(i, i * 960, (byte) 0xF8, (byte) 1);
            rig.advance(20);
        }
        // About 0.3 to 1 s apart (RFC 3550 6.3).
        assertThat(peer.rtcpReceived().size()).isBetween(2, 7);
        RtcpReader rtcp = new RtcpReader();
        byte[] last = peer.rtcpReceived().getLast();
        assertThat(rtcp.wrap(ByteBuffer.wrap(last), 0, last.length)).isTrue();
        assertThat(rtcp.next()).isTrue();
        assertThat(rtcp.type()).isEqualTo(RtcpType.SENDER_REPORT);
        assertThat(rtcp.packetCount()).isBetween(1L, (long) peer.received().size());
        assertThat(rtcp.reportCount()).isEqualTo(1);
        assertThat(rtcp.reportSsrc(0)).isEqualTo(Peer.SSRC);
        assertThat(rtcp.cumulativeLost(0)).isZero();
        assertThat(rtcp.extendedHighestSequence(0)).isBetween(25, 99);
        assertThat(rtcp.senderSsrc()).isEqualTo(peer.received().getFirst().ssrc());

        assertThat(rtcp.next()).isTrue();
        assertThat(rtcp.type()).isEqualTo(RtcpType.SOURCE_DESCRIPTION);
        assertThat(rtcp.next()).isFalse();

        assertThat(rig.describe(created).hasRoundTripMs()).isFalse();
    }

    @Test
    void measuresTheRoundTripByTheClientsReports() {
        CreateSessionResponse created = rig.connect(peer);
        int before = peer.rtcpReceived().size();
        while (peer.rtcpReceived().size() == before) {
            rig.advance(1);
        }
        byte[] report = peer.rtcpReceived().getLast();
        RtcpReader rtcp = new RtcpReader();
        assertThat(rtcp.wrap(ByteBuffer.wrap(report), 0, report.length) && rtcp.next()).isTrue();
        // It reached the client at once; 30 ms later an answer comes that took 10 ms to make.
        ReceptionStatistics heard = new ReceptionStatistics(48_000);
        heard.receive(1, 0, rig.now());
        heard.receiveSenderReport(rtcp.ntpTimestamp(), rig.now());
        long answered = rig.now() + 10 * MILLI;
        int ssrc = rtcp.senderSsrc();
        rig.advance(30);
        peer.sendRtcp(writer -> writer.receiverReport(Peer.SSRC).report(ssrc, heard, answered));
        rig.run();
        assertThat(rig.describe(created).getRoundTripMs()).isCloseTo(20.0, within(0.1));
    }

    /** Reports as a client that lost some packets. */
    private void reportLoss(int everyNth) {
        byte[] report = peer.rtcpReceived().getLast();
        RtcpReader rtcp = new RtcpReader();
        assertThat(rtcp.wrap(ByteBuffer.wrap(report), 0, report.length) && rtcp.next()).isTrue();
        for (Peer.Received packet : peer.received()) {
            if (packet.sequence() % everyNth != 0 && packet.nanos() > reportedNanos) {
                heard.receive(packet.sequence(), packet.timestamp(), packet.nanos());
            }
        }
        reportedNanos = rig.now();
        heard.endInterval();
        int ssrc = rtcp.senderSsrc();
        peer.sendRtcp(writer -> writer.receiverReport(Peer.SSRC).report(ssrc, heard, rig.now()));
        rig.run();
    }

    private final ReceptionStatistics heard = new ReceptionStatistics(48_000);
    private long reportedNanos;

    @Test
    void tellsInferenceAndSignalingHowTheCallSounds() {
        CreateSessionResponse created = rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        for (int i = 0; i < 600; i++) {
            if (i % 20 != 7) {
                peer.sendOpus(i, i * 960, (byte) 0xF8, (byte) 1);
            }
            rig.advance(20);
            if (i % 50 == 49) {
                reportLoss(10);
            }
        }
        QualityReport report = call.await(ConverseRequest::hasQualityReport).getQualityReport();
        assertThat(report.getInput().getLossPercent()).isCloseTo(5, within(1.0));
        assertThat(report.getInput().getRating()).isCloseTo(77, within(3.0));
        assertThat(report.getOutput().getLossPercent()).isCloseTo(10, within(2.0));
        assertThat(report.getOutput().getMeanOpinionScore()).isCloseTo(3.3, within(0.3));
        assertThat(report.hasRoundTripMs()).isFalse();
        DescribeSessionResponse described = rig.describe(created);
        assertThat(described.getOutputQuality().getLossPercent()).isCloseTo(10, within(2.0));
        assertThat(described.getPacketsLostByClient()).isBetween(50L, 65L);
        rig.close(created);
        SessionEnd end = call.await(ConverseRequest::hasSessionEnd).getSessionEnd();
        assertThat(end.getQuality().getInput().getPacketsLost()).isBetween(28L, 30L);
        assertThat(end.getQuality().getInput().getLossPercent()).isCloseTo(5, within(0.5));
        assertThat(end.getQuality().getOutput().getPackets()).isBetween(600L, 603L);
    }

    @Test
    void sendsAPacketAgainOnceWhenTheClientAsks() {
        rig.connect(peer);
        rig.advance(200);
        Peer.Received before = peer.received().getLast();
        int lost = before.sequence() + 1 & 0xFFFF;
        peer.loseNext();
        rig.advance(100);
        int received = peer.received().size();
        for (int i = 0; i < 2; i++) {
            peer.sendRtcp(
                    writer ->
                            writer.receiverReport(Peer.SSRC)
                                    .nack(Peer.SSRC, before.ssrc(), lost, 0));
            rig.run();
        }
        assertThat(peer.received()).hasSize(received + 1);
        assertThat(peer.received().getLast().sequence()).isEqualTo(lost);
    }

    @Test
    void answersAReceiversReferenceTime() {
        rig.connect(peer);
        peer.sendRtcp(
                writer -> writer.receiverReport(Peer.SSRC).referenceTime(Peer.SSRC, 7L << 16));
        rig.run();
        int before = peer.rtcpReceived().size();
        rig.advanceUntil(() -> peer.rtcpReceived().size() > before);
        byte[] report = peer.rtcpReceived().get(before);
        RtcpReader rtcp = new RtcpReader();
        assertThat(rtcp.wrap(ByteBuffer.wrap(report), 0, report.length)).isTrue();
        while (rtcp.next() && rtcp.type() != RtcpType.EXTENDED_REPORT) {}
        assertThat(rtcp.type()).isEqualTo(RtcpType.EXTENDED_REPORT);
        int at = report.length - 12;
        assertThat(ByteBuffer.wrap(report).getInt(at)).isEqualTo(Peer.SSRC);
        assertThat(ByteBuffer.wrap(report).getInt(at + 4)).isEqualTo(7);
    }

    @Test
    void takesAnotherSourceWhenTheClientUsesOurs() {
        rig.connect(peer);
        rig.advance(100);
        Peer.Received before = peer.received().getLast();
        peer.sendOpusFrom(before.ssrc(), 1, 960, (byte) 0xF8, (byte) 1);
        rig.advance(40);
        Peer.Received after = peer.received().getLast();
        assertThat(after.ssrc()).isNotEqualTo(before.ssrc());
        assertThat(after.sequence() - before.sequence() & 0xFFFF).isEqualTo(2);
        assertThat(after.timestamp() - before.timestamp()).isEqualTo(1_920);
        byte[] report = peer.rtcpReceived().getLast();
        RtcpReader rtcp = new RtcpReader();
        assertThat(rtcp.wrap(ByteBuffer.wrap(report), 0, report.length) && rtcp.next()).isTrue();
        assertThat(rtcp.senderSsrc()).isEqualTo(after.ssrc());
        while (rtcp.next() && rtcp.type() != RtcpType.GOODBYE) {}
        assertThat(rtcp.goodbyeSsrc(0)).isEqualTo(before.ssrc());
    }
}
