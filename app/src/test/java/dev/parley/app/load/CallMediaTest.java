package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtcpWriter;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpProfile;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** What calls count, on a network that brings packets back as the test wants it. */
class CallMediaTest {
    private static final long FRAME_NANOS = 20_000_000L;
    private static final long TRIP_NANOS = 5_000_000L;
    private static final SpeechFrames SPEECH = SpeechFrames.builtIn();

    /** The same both ways, so that a packet that comes back as it is can be read. */
    private static final SrtpKeys KEYS =
            new SrtpKeys(SrtpProfile.AES128_CM_SHA1_80, new byte[16], new byte[14]);

    private final SrtpSender serverSrtp = new SrtpSender(KEYS);
    private final FakeLoadHost host = new FakeLoadHost();
    private final Tally tally = host.tally();
    private long now;

    @Test
    void countsWhatACallThatHearsNothingHasSentAsLost() {
        CallMedia echoed = media(1, "0");
        CallMedia mute = media(2, "0");

        talk(echoed, 150, _ -> true);
        talk(mute, 150, _ -> false);
        echoed.sumUp(tally);
        mute.sumUp(tally);

        assertThat(tally.withoutAudio).isOne();
        assertThat(results("0").loss()).isEqualTo(0.5);
        assertThat(results("0").lossAtFirst()).isEqualTo(0.5);
    }

    @Test
    void countsAnEchoThatStopsForGoodAsLossAndGap() {
        CallMedia media = media(1, "0");

        talk(media, 150, i -> i < 100);
        media.stop(now);
        media.sumUp(tally);

        assertThat(results("0").loss()).isEqualTo(0.5);
        assertThat(tally.gapMaxNanos).isEqualTo(51 * FRAME_NANOS - TRIP_NANOS);
    }

    @Test
    void tellsAServerThatFellSilentFromOneThatWasNeverHeardAndOneThatPauses() {
        CallMedia dead = media(1, "0");
        CallMedia mute = media(2, "0");
        CallMedia paused = media(3, "0");

        talk(dead, 150, i -> i < 45);
        talk(mute, 150, _ -> false);
        talk(paused, 150, i -> i < 60);

        assertThat(dead.fellSilent(now)).isTrue();
        assertThat(mute.fellSilent(now)).isFalse();
        assertThat(paused.fellSilent(now)).isFalse();
    }

    @Test
    void takesNoSilenceOfOthersForAGap() {
        CallMedia media = media(1, "0");

        talk(media, 50, _ -> false);
        media.stop(now);

        assertThat(tally.gapMaxNanos).isZero();
    }

    @Test
    void countsNoPacketAsLostThatItHasLeftOutItself() {
        CallMedia media = media(1, "50");

        talk(media, 500, _ -> true);
        media.sumUp(tally);

        assertThat(tally.dropped).isPositive();
        assertThat(tally.receivedDropped).isPositive();
        assertThat(results("50").loss()).isZero();
        assertThat(results("50").lossAtFirst()).isZero();
    }

    @Test
    void tellsTheNetworksLossFromItsOwnByTheServersReports() {
        CallMedia media = media(1, "20");
        ReceptionStatistics server = new ReceptionStatistics(48_000);
        RtpReader rtp = new RtpReader();
        int sent = 0;

        for (; tally.sent < 1_001; now += FRAME_NANOS) {
            media.onTimer(now, true);
            for (byte[] packet : audio()) {
                rtp.wrap(ByteBuffer.wrap(packet), 0, packet.length);
                if (sent++ % 2 == 0) {
                    server.receive(rtp.sequenceNumber(), rtp.timestamp(), now);
                }
            }
        }
        report(media, rtp.ssrc(), server);
        media.sumUp(tally);

        assertThat(tally.dropped).isPositive();
        assertThat(results("20").lossUp()).isCloseTo(0.5, within(0.005));
        assertThat(results("20").loss()).isCloseTo(0.5, within(0.005));
    }

    @Test
    void sendsAgainOnceWhatTheServerMisses() {
        CallMedia media = media(1, LoadOptions.of(Map.of("nack", "true")));
        media.onTimer(now, true);
        media.onTimer(now + FRAME_NANOS, true);
        List<byte[]> first = audio();

        askAgain(media, first.getFirst());
        assertThat(audio()).containsExactlyElementsOf(first);
        askAgain(media, first.getFirst());

        assertThat(audio()).isEmpty();
        assertThat(tally.sentAgain).isEqualTo(2);
    }

    @Test
    void keepsNothingWhenNobodyMayAskForItAgain() {
        CallMedia media = media(1, "0");
        media.onTimer(now, true);

        askAgain(media, audio().getFirst());

        assertThat(audio()).isEmpty();
    }

    @Test
    void tellsLossUnderAllCallsFromThatOfTheRamp() {
        CallMedia media = media(1, "0");

        talk(media, 150, i -> i < 100);
        media.settled();
        talk(media, 100, i -> i % 4 > 0);
        media.sumUp(tally);

        assertThat(results("0").lossOfAll()).isEqualTo(75 / 200.0);
        assertThat(steadyResults().loss()).isEqualTo(0.25);
    }

    @Test
    void makesGoodNoLossWithAPacketThatComesTwice() {
        CallMedia media = media(1, "0");
        talk(media, 60, _ -> true);

        media.onTimer(now, true);
        byte[] twice = audio().getFirst();
        for (int i = 0; i < 2; i++) {
            media.receiveRtp(ByteBuffer.wrap(twice.clone()), 0, twice.length, now, true);
        }

        assertThat(tally.duplicates).isOne();
        assertThat(tally.undecryptable).isZero();
        assertThat(tally.arrivedDown).isEqualTo(tally.expectedDown).isEqualTo(61);
    }

    @Test
    void tellsJitterAtEachReportAndOnceOfACallTooShortForOne() {
        CallMedia media = media(1, "0");
        talk(media, 500, _ -> true);
        media.sumUp(tally);
        long reports = tally.jitter.getTotalCount();
        CallMedia brief = media(2, "0");
        talk(brief, 10, _ -> true);
        brief.sumUp(tally);

        assertThat(reports).isGreaterThan(2);
        assertThat(tally.jitter.getTotalCount()).isEqualTo(reports + 1);
    }

    @Test
    void countsARebindingAfterWhichNothingComes() {
        CallMedia media = media(1, "0");
        talk(media, 20, _ -> true);
        media.rebound();
        talk(media, 20, _ -> true);
        assertThat(tally.rebindGap.getTotalCount()).isOne();

        media.rebound();
        talk(media, 20, _ -> false);
        media.rebound();
        talk(media, 20, _ -> false);
        media.sumUp(tally);

        assertThat(tally.rebindGap.getTotalCount()).isOne();
        assertThat(tally.rebindsUnanswered).isEqualTo(2);
    }

    /** Those of a run whose time with all calls is told apart. */
    private LoadResults steadyResults() {
        Tally steady = new Tally();
        steady.sent = 1;
        steady.received = 1;
        return new LoadResults(options("0"), tally, steady, List.of(), null);
    }

    /** For a packet and the one behind it. */
    private void askAgain(CallMedia media, byte[] packet) {
        ByteBuffer sealed = ByteBuffer.wrap(packet.clone());
        RtpReader rtp = new RtpReader();
        rtp.wrap(sealed, 0, packet.length);
        ByteBuffer bytes = ByteBuffer.allocate(500);
        int length =
                new RtcpWriter()
                        .begin(bytes, 0)
                        .nack(7, rtp.ssrc(), rtp.sequenceNumber(), 1)
                        .length();
        media.receiveRtcp(bytes, 0, serverSrtp.protectRtcp(bytes, 0, length), now);
    }

    private CallMedia media(int number, String lossPercent) {
        return media(number, options(lossPercent));
    }

    private CallMedia media(int number, LoadOptions options) {
        return new CallMedia(
                host,
                host.call(number, options, SPEECH, false),
                options,
                SPEECH,
                new SrtpSender(KEYS),
                new SrtpReceiver(KEYS),
                now);
    }

    private static LoadOptions options(String lossPercent) {
        return LoadOptions.of(Map.of("loss", lossPercent));
    }

    private LoadResults results(String lossPercent) {
        return new LoadResults(options(lossPercent), tally, List.of(), null);
    }

    /** Ends when the next frame would be due. */
    private void talk(CallMedia media, int frames, IntPredicate comesBack) {
        for (int i = 0; i < frames; i++, now += FRAME_NANOS) {
            media.onTimer(now, true);
            for (byte[] packet : audio()) {
                if (comesBack.test(i)) {
                    media.receiveRtp(
                            ByteBuffer.wrap(packet), 0, packet.length, now + TRIP_NANOS, true);
                }
            }
        }
    }

    private List<byte[]> audio() {
        return host.take().stream()
                .filter(
                        each ->
                                PacketKind.classify(ByteBuffer.wrap(each), 0, each.length)
                                        == PacketKind.RTP)
                .toList();
    }

    private void report(CallMedia media, int ssrc, ReceptionStatistics server) {
        ByteBuffer bytes = ByteBuffer.allocate(500);
        RtcpWriter writer = new RtcpWriter();
        int length =
                writer.begin(bytes, 0)
                        .receiverReport(7)
                        .report(ssrc, server, now)
                        .sourceDescription(7, new byte[] {'s'})
                        .length();
        media.receiveRtcp(bytes, 0, serverSrtp.protectRtcp(bytes, 0, length), now);
    }
}
