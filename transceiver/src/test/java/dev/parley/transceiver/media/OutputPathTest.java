package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.audio.G711;
import dev.parley.transceiver.media.OutputItem.Clear;
import dev.parley.transceiver.media.OutputItem.Frame;
import dev.parley.transceiver.media.OutputItem.Hangup;
import dev.parley.transceiver.media.OutputItem.Mark;
import dev.parley.transceiver.media.OutputItem.Pause;
import dev.parley.transceiver.media.OutputItem.Resume;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Output on a virtual clock. Times are milliseconds after the first packet was due. */
class OutputPathTest {
    private static final long START = 5_000_000_000_000L;
    private static final long MILLI = 1_000_000L;
    private static final long LIVE_NANOS = 80 * MILLI;

    private record Packet(
            long millis, int sequence, int timestamp, boolean marker, int firstByte, int length) {
        boolean silent() {
            return length == 3;
        }
    }

    private final List<String> events = new ArrayList<>();
    private final Playout playout = new Playout(960, new Recorder());
    private OutputPath output = output(OutputFormat.opus(111, 20, false));
    private final List<Packet> packets = new ArrayList<>();
    private final PlayedItem one = new PlayedItem("r1", "i1");
    private final PlayedItem two = new PlayedItem("r2", "i2");
    private long millis;
    private int payloadType = 111;

    private final class Recorder implements Playout.Listener {
        @Override
        public void started(PlayedItem item) {
            events.add(millis + " started " + item.responseId());
        }

        @Override
        public void progressed(PlayedItem item) {
            events.add(millis + " progressed " + item.sentMillis());
        }

        @Override
        public void stopped(PlayedItem item) {
            events.add(millis + " stopped " + item.responseId() + " at " + item.sentMillis());
        }

        @Override
        public void cleared(@Nullable PlayedItem item, long clearedSamples) {
            events.add(
                    millis
                            + " cleared "
                            + (item == null
                                    ? "nothing"
                                    : item.responseId() + " at " + item.sentMillis())
                            + ", "
                            + clearedSamples / 48
                            + " dropped");
        }

        @Override
        public void paused(@Nullable PlayedItem item) {
            events.add(
                    millis
                            + " paused "
                            + (item == null
                                    ? "nothing"
                                    : item.responseId() + " at " + item.sentMillis()));
        }

        @Override
        public void marked(Mark mark) {
            events.add(millis + " mark " + mark.name() + (mark.cleared() ? " cleared" : ""));
        }

        @Override
        public void hungUp(String message) {
            events.add(millis + " hung up " + message);
        }
    }

    @BeforeEach
    void start() {
        output.start(START);
    }

    private OutputPath output(OutputFormat format) {
        return new OutputPath(0x55, format, 65_534, 0xFFFF_FF00, playout, LIVE_NANOS);
    }

    private void restart(OutputFormat format) {
        output = output(format);
        output.start(START);
    }

    private void say(PlayedItem item, int frames) {
        for (int i = 0; i < frames; i++) {
            playout.offer(frame(item, 960));
        }
    }

    private Frame frame(PlayedItem item, int samples) {
        return frame(item, samples, now());
    }

    private static Frame frame(PlayedItem item, int samples, long saidNanos) {
        return new Frame(item, new byte[] {1, 2, 3, 4}, samples, 0, 7, saidNanos);
    }

    private long now() {
        return START + millis * MILLI;
    }

    /** Runs the schedule as a loop does, every millisecond. */
    private void runUntil(long end) {
        for (; millis <= end; millis++) {
            send();
        }
        millis = end;
    }

    private void send() {
        ByteBuffer buffer = ByteBuffer.allocate(1500);
        RtpReader rtp = new RtpReader();
        while (output.dueNanos() - now() <= 0) {
            int length = output.write(now(), buffer, 0);
            if (length == 0) {
                continue;
            }
            assertThat(rtp.wrap(buffer, 0, length)).isTrue();
            assertThat(rtp.ssrc()).isEqualTo(0x55);
            assertThat(rtp.payloadType()).isEqualTo(payloadType);
            packets.add(
                    new Packet(
                            millis,
                            rtp.sequenceNumber(),
                            rtp.timestamp(),
                            rtp.marker(),
                            buffer.get(rtp.payloadOffset()),
                            rtp.payloadLength()));
        }
    }

    private List<Packet> speech() {
        return packets.stream().filter(p -> !p.silent()).toList();
    }

    @Test
    void sendsSilenceEvery20MillisWithContinuousNumbers() {
        runUntil(100);
        assertThat(packets)
                .extracting(Packet::millis)
                .containsExactly(0L, 20L, 40L, 60L, 80L, 100L);
        assertThat(packets)
                .extracting(Packet::sequence)
                .containsExactly(65_534, 65_535, 0, 1, 2, 3);
        assertThat(packets)
                .extracting(Packet::timestamp)
                .containsExactly(-256, 704, 1_664, 2_624, 3_584, 4_544);
        assertThat(packets).allMatch(p -> p.firstByte() == (byte) 0xF8 && !p.marker());
    }

    @Test
    void keepsThePacketTimeInSilence() {
        restart(OutputFormat.opus(111, 60, false));
        runUntil(180);
        assertThat(packets).extracting(Packet::millis).containsExactly(0L, 60L, 120L, 180L);
        assertThat(packets.get(3).timestamp() - packets.get(0).timestamp()).isEqualTo(180 * 48);
    }

    @Test
    void countsG711OnItsOwnClock() {
        restart(OutputFormat.g711(8, 20, G711.ALAW));
        payloadType = 8;
        runUntil(100);
        assertThat(packets).allMatch(p -> p.length() == 160 && p.firstByte() == (byte) 0xD5);
        assertThat(packets.get(5).timestamp() - packets.get(0).timestamp()).isEqualTo(800);
        int shown = output.timestampAt(now());
        millis = 110;
        assertThat(output.timestampAt(now()) - shown).isEqualTo(80);
    }

    @Test
    void leavesSilenceOutForAClientThatPrefersDtx() {
        restart(OutputFormat.opus(111, 20, true));
        say(one, 2);
        runUntil(1_500);
        playout.offer(frame(two, 960));
        playout.offer(frame(two, 960));
        runUntil(1_600);
        assertThat(packets)
                .extracting(Packet::millis)
                .containsExactly(
                        0L, 20L, 40L, 60L, 80L, 100L, 120L, 140L, 540L, 940L, 1_340L, 1_520L,
                        1_540L, 1_560L, 1_580L, 1_600L);
        assertThat(packets.subList(2, 7)).allMatch(Packet::silent);
        assertThat(packets.subList(7, 11)).allMatch(p -> p.length() == 1);
        for (int i = 1; i < packets.size(); i++) {
            Packet packet = packets.get(i);
            Packet before = packets.get(i - 1);
            assertThat(packet.sequence()).isEqualTo(before.sequence() + 1 & 0xFFFF);
            assertThat(packet.timestamp() - before.timestamp())
                    .isEqualTo((packet.millis() - before.millis()) * 48);
            assertThat(packet.marker()).isEqualTo(packet.millis() == 1_520);
        }
        assertThat(events).contains("1560 stopped r2 at 40");
        assertThat(output.packets()).isEqualTo(packets.size());
    }

    @Test
    void leavesOutWhatTheEncoderSaysNeedNotBeSent() {
        restart(OutputFormat.opus(111, 20, true));
        for (int i = 0; i < 25; i++) {
            playout.offer(new Frame(one, new byte[] {(byte) 0xF8}, 960, 0, 7, now()));
        }
        runUntil(460);
        assertThat(packets).extracting(Packet::millis).containsExactly(0L, 400L);
        playout.offer(frame(one, 960));
        runUntil(500);
        assertThat(events).contains("0 started r1");
    }

    @Test
    void marksTheFirstPacketOfASpurtOnly() {
        runUntil(30);
        say(one, 3);
        runUntil(200);
        assertThat(speech()).extracting(Packet::millis).containsExactly(40L, 60L, 80L);
        assertThat(speech()).extracting(Packet::marker).containsExactly(true, false, false);
        assertThat(events).containsExactly("40 started r1", "100 stopped r1 at 60");
    }

    @Test
    void waitsOneCushionForASourceThatSpeaksInRealTime() {
        runUntil(10);
        for (int i = 0; i < 10; i++) {
            say(one, 1);
            runUntil(30 + i * 20L);
        }
        runUntil(400);
        // First frame at 10: due at 20 but alone; at 40 the second is there.
        assertThat(speech()).extracting(Packet::millis).startsWith(40L, 60L, 80L).hasSize(10);
        assertThat(events).hasSize(2);
    }

    @Test
    void takesAFrameThatCameACushionAgoThoughTheLoopSeesItOnlyNow() {
        runUntil(19);
        long said = now() - 19 * MILLI;
        millis = 20;
        playout.offer(frame(one, 960, said));
        runUntil(100);
        assertThat(speech()).extracting(Packet::millis).containsExactly(20L);
    }

    @Test
    void letsALoneFrameGoAfterTheCushionsTime() {
        runUntil(10);
        say(one, 1);
        runUntil(100);
        assertThat(speech()).extracting(Packet::millis).containsExactly(40L);
    }

    @Test
    void keepsPaceWithPacketsOfOtherDurations() {
        playout.offer(frame(one, 480));
        playout.offer(frame(one, 2_880));
        playout.offer(frame(one, 1_920));
        playout.offer(frame(one, 120));
        runUntil(150);
        assertThat(speech()).extracting(Packet::millis).containsExactly(0L, 10L, 70L, 110L);
        // 112.5 is when the last one ends; this clock ticks in whole milliseconds.
        assertThat(packets.get(4).millis()).isEqualTo(113);
        assertThat(packets.get(4).timestamp() - packets.get(0).timestamp()).isEqualTo(5_400);
        assertThat(events).contains("113 stopped r1 at 112");
    }

    @Test
    void catchesUpAfterAStallWithoutShiftingTheSchedule() {
        say(one, 20);
        runUntil(40);
        millis = 145;
        send();
        runUntil(300);
        assertThat(packets)
                .extracting(Packet::millis)
                .startsWith(0L, 20L, 40L, 145L, 145L, 145L, 145L, 145L, 160L, 180L);
        assertThat(speech()).hasSize(16);
    }

    @Test
    void skipsTimeRatherThanBurstAfterALongStall() {
        say(one, 100);
        runUntil(40);
        millis = 190;
        send();
        assertThat(packets).hasSize(4);
        millis = 1_050;
        send();
        assertThat(packets).hasSize(5);
        assertThat(packets)
                .extracting(Packet::marker)
                .containsExactly(true, false, false, true, true);
        packets.remove(3);
        Packet before = packets.get(2);
        Packet after = packets.get(3);
        assertThat(after.sequence() - before.sequence()).isEqualTo(2);
        assertThat(after.timestamp() - before.timestamp()).isEqualTo(960 * 50);
        runUntil(1_060);
        assertThat(packets.getLast().millis()).isEqualTo(1_060);
        assertThat(speech()).hasSize(packets.size());
    }

    @Test
    void hasNoDriftInTenMinutes() {
        runUntil(600_000);
        assertThat(packets).hasSize(30_001);
        assertThat(packets.getLast().millis()).isEqualTo(600_000);
        assertThat(packets.getLast().timestamp() - packets.getFirst().timestamp())
                .isEqualTo(600_000 * 48);
    }

    @Test
    void reportsProgressEverySecond() {
        say(one, 120);
        runUntil(3_000);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "980 progressed 1000",
                        "1980 progressed 2000",
                        "2400 stopped r1 at 2400");
    }

    @Test
    void clearsAtOnceAndTellsWhatWasSent() {
        say(one, 50);
        playout.offer(new Mark("end", false));
        runUntil(110);
        playout.offer(new Clear("", 0));
        runUntil(300);
        assertThat(speech()).hasSize(6).allMatch(p -> p.millis() <= 110);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "110 cleared r1 at 120, 880 dropped",
                        "110 mark end cleared");
        assertThat(playout.queuedSamples()).isZero();
        assertThat(playout.leftFrames()).isEqualTo(50);
        assertThat(playout.leftSamples()).isEqualTo(50 * 960);
        assertThat(playout.leftBytes()).isEqualTo(50 * 7);
    }

    @Test
    void sendsNothingOfACutItemThoughItsClearIsStillUnderWay() {
        say(one, 10);
        runUntil(50);
        one.cut();
        runUntil(150);
        assertThat(speech()).hasSize(3);
        assertThat(events).containsExactly("0 started r1");
        playout.offer(new Clear("r1", 960));
        runUntil(200);
        assertThat(events).containsExactly("0 started r1", "150 cleared r1 at 60, 160 dropped");
    }

    @Test
    void leavesACutItemToItsClearEvenWhenTheQueueIsDry() {
        say(one, 2);
        runUntil(30);
        one.cut();
        runUntil(100);
        playout.offer(new Clear("r1", 0));
        assertThat(events).containsExactly("0 started r1", "100 cleared r1 at 40, 0 dropped");
    }

    @Test
    void goesOnWithTheItemAfterItWasCut() {
        say(one, 2);
        runUntil(30);
        one.cut();
        playout.offer(new Clear("", 0));
        say(one.afterCut(), 2);
        runUntil(100);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "30 cleared r1 at 40, 0 dropped",
                        "40 started r1",
                        "80 stopped r1 at 80");
    }

    @Test
    void pausesAtOnceAndGoesOnWhereItStopped() {
        say(one, 5);
        playout.offer(new Mark("end", false));
        runUntil(50);
        playout.offer(new Pause());
        say(two, 1);
        runUntil(300);
        assertThat(speech()).hasSize(3);
        playout.offer(new Resume());
        runUntil(500);
        assertThat(speech())
                .extracting(Packet::millis)
                .containsExactly(0L, 20L, 40L, 320L, 340L, 360L);
        assertThat(speech())
                .extracting(Packet::marker)
                .containsExactly(true, false, false, true, false, false);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "50 paused r1 at 60",
                        "320 started r1",
                        "340 mark end",
                        "360 stopped r1 at 100",
                        "360 started r2",
                        "380 stopped r2 at 20");
    }

    @Test
    void pausesSilenceToo() {
        playout.offer(new Pause());
        playout.offer(new Pause());
        say(one, 1);
        runUntil(100);
        playout.offer(new Resume());
        playout.offer(new Resume());
        runUntil(200);
        assertThat(events)
                .containsExactly(
                        "0 paused nothing",
                        "0 paused nothing",
                        "120 started r1",
                        "140 stopped r1 at 20");
        assertThat(playout.leftOthers()).isEqualTo(4);
    }

    @Test
    void aClearEndsAPause() {
        say(one, 5);
        runUntil(50);
        playout.offer(new Pause());
        runUntil(100);
        playout.offer(new Clear("r1", 0));
        say(two, 1);
        runUntil(200);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "50 paused r1 at 60",
                        "100 cleared r1 at 60, 40 dropped",
                        "120 started r2",
                        "140 stopped r2 at 20");
    }

    @Test
    void playsOutWhatIsPausedBeforeItHangsUp() {
        say(one, 2);
        runUntil(10);
        playout.offer(new Pause());
        runUntil(100);
        playout.offer(new Hangup("bye"));
        runUntil(200);
        assertThat(speech()).hasSize(2);
        assertThat(events).contains("140 hung up bye");
    }

    @Test
    void tellsWhereItWasWhenTheCallEnds() {
        say(one, 5);
        runUntil(50);
        playout.end();
        assertThat(events).containsExactly("0 started r1", "50 stopped r1 at 60");
    }

    @Test
    void clearsOneResponseAndPlaysTheOther() {
        say(one, 10);
        playout.offer(new Mark("of one", false));
        say(two, 3);
        playout.offer(new Mark("of two", false));
        runUntil(50);
        playout.offer(new Clear("r1", 0));
        runUntil(200);
        assertThat(speech())
                .extracting(Packet::millis)
                .containsExactly(0L, 20L, 40L, 60L, 80L, 100L);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "50 cleared r1 at 60, 140 dropped",
                        "50 mark of one cleared",
                        "60 started r2",
                        "100 mark of two",
                        "120 stopped r2 at 60");
    }

    @Test
    void clearingWhatDoesNotPlayCutsNothing() {
        say(one, 5);
        say(two, 5);
        runUntil(50);
        playout.offer(new Clear("r2", 0));
        playout.offer(new Clear("unknown", 0));
        runUntil(200);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "50 cleared nothing, 100 dropped",
                        "50 cleared nothing, 0 dropped",
                        "100 stopped r1 at 100");
    }

    @Test
    void reachesMarksInTheirPlace() {
        playout.offer(new Mark("before anything", false));
        say(one, 2);
        playout.offer(new Mark("middle", false));
        say(one, 1);
        runUntil(200);
        playout.offer(new Mark("after", false));
        assertThat(events)
                .containsExactly(
                        "0 mark before anything",
                        "0 started r1",
                        "20 mark middle",
                        "60 stopped r1 at 60",
                        "200 mark after");
    }

    @Test
    void hangsUpWhenAllIsSaid() {
        say(one, 3);
        playout.offer(new Hangup("bye"));
        runUntil(200);
        assertThat(events).containsExactly("0 started r1", "60 stopped r1 at 60", "60 hung up bye");
    }

    @Test
    void countsPaddingNotAsSaid() {
        playout.offer(new Frame(one, new byte[] {1, 2, 3, 4}, 960, 480, 7, now()));
        runUntil(100);
        assertThat(events).contains("40 stopped r1 at 10");
        assertThat(playout.leftSamples()).isEqualTo(480);
    }

    @Test
    void tellsTheTimestampOfAnyInstantForSenderReports() {
        runUntil(100);
        int shown = output.timestampAt(now());
        assertThat(shown).isEqualTo(packets.getLast().timestamp());
        millis = 105;
        assertThat(output.timestampAt(now()) - shown).isEqualTo(5 * 48);
    }

    @Test
    void beginsInTheLowerHalfOfSequenceNumbers() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            assertThat(OutputPath.firstSequence(random)).isBetween(0, 0x7FFF);
        }
    }

    @Test
    void goesOnInTheLowerHalfAsAnotherSource() {
        runUntil(19);
        output.changeSource(0x66);
        assertThat(packets.getLast().sequence()).isEqualTo(65_534);
        assertThat(output.sequence()).isEqualTo(32_767);
    }
}
