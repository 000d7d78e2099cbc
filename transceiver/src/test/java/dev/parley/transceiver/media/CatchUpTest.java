package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.audio.VoiceEncoder;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** How long speech of sources of many kinds waits for its packet, on a virtual clock. */
class CatchUpTest {
    private static final long MILLI = 1_000_000L;
    private static final long LIVE_NANOS = 80 * MILLI;
    private static final int SECOND = 50;

    private record Sent(long nanos, int number, int timestamp) {
        boolean silent() {
            return number < 0;
        }
    }

    private final PlayedItem item = new PlayedItem("r", "i");
    private Playout playout = new Playout(240, new DeafListener());
    private final List<Sent> sent = new ArrayList<>();
    private final List<Long> said = new ArrayList<>();
    private OutputPath output = output(LIVE_NANOS);
    private long now;

    private OutputPath output(long liveNanos) {
        OutputPath made =
                new OutputPath(1, OutputFormat.opus(111, 20, false), 0, 0, playout, liveNanos);
        made.start(0);
        return made;
    }

    /**
     * Says so many pieces of 20 ms, each at its time after now, and sends what is due meanwhile.
     */
    private void speak(int count, IntToLongFunction atNanos) {
        long from = now;
        for (int i = 0; i < count; i++) {
            runUntil(from + atNanos.applyAsLong(i));
            byte[] payload = ByteBuffer.allocate(4).putInt(said.size()).array();
            said.add(now);
            playout.offer(new Frame(item, payload, 960, 0, 0, now));
            output.hasten(now);
        }
    }

    private void runUntil(long end) {
        while (output.dueNanos() - end <= 0) {
            now = Math.max(now, output.dueNanos());
            turn();
        }
        now = end;
    }

    private void turn() {
        output.turn(now);
        while (output.dueNanos() - now <= 0) {
            send();
        }
    }

    /** The loop stands still, and then comes. */
    private void stall(long nanos) {
        now += nanos;
        turn();
    }

    private void send() {
        ByteBuffer buffer = ByteBuffer.allocate(1_500);
        RtpReader rtp = new RtpReader();
        assertThat(rtp.wrap(buffer, 0, output.write(now, buffer, 0))).isTrue();
        int number = rtp.payloadLength() == 4 ? buffer.getInt(rtp.payloadOffset()) : -1;
        sent.add(new Sent(now, number, rtp.timestamp()));
    }

    /** Shortest and longest wait of speech after so many pieces of it, milliseconds. */
    private double[] waitsAfter(int pieces) {
        double[] waits =
                sent.stream()
                        .filter(each -> each.number() >= pieces)
                        .mapToDouble(each -> (each.nanos() - said.get(each.number())) / 1e6)
                        .sorted()
                        .toArray();
        return new double[] {waits[0], waits[waits.length - 1]};
    }

    private long gapsAfter(int pieces) {
        int first = sent.indexOf(sent.stream().filter(s -> s.number() == pieces).findFirst().get());
        return sent.stream().skip(first).filter(Sent::silent).count();
    }

    private static long every20(int i) {
        return i * (20 * MILLI);
    }

    @Test
    void takesAwayWhatAHeapHasLeftInTheQueue() {
        runUntil(7 * MILLI);
        // The first four come at once, and ever after four wait.
        speak(10 * SECOND, i -> every20(Math.max(0, i - 3)));
        assertThat(waitsAfter(SECOND)[1]).isGreaterThan(60);
        assertThat(waitsAfter(3 * SECOND)).satisfies(w -> assertThat(w[0]).isBetween(5.0, 8.0));
        assertThat(waitsAfter(3 * SECOND)).satisfies(w -> assertThat(w[1]).isBetween(5.0, 8.0));
        assertThat(gapsAfter(0)).isZero();
    }

    @Test
    void movesBy2500MicrosOnly() {
        speak(4 * SECOND, i -> every20(Math.max(0, i - 2)));
        List<Long> steps = new ArrayList<>();
        for (int i = 1; i < sent.size(); i++) {
            assertThat(sent.get(i).timestamp() - sent.get(i - 1).timestamp()).isEqualTo(960);
            steps.add(sent.get(i).nanos() - sent.get(i - 1).nanos());
        }
        assertThat(steps).contains(17_500_000L).allMatch(s -> s == 17_500_000L || s == 20 * MILLI);
    }

    @Test
    void keepsUpWithAClockThatIsFasterThanOurs() {
        // 1,000 parts in a million: 0.6 s in ten minutes.
        speak(600 * SECOND, i -> i * 19_980_000L);
        assertThat(waitsAfter(3 * SECOND)[1]).isLessThan(9);
        assertThat(gapsAfter(0)).isZero();
    }

    @Test
    void leavesSpeechAloneThatComesAheadOfItsTime() {
        speak(20 * SECOND, i -> every20(Math.max(0, i - 6)));
        long first = sent.get(0).nanos();
        for (int i = 0; i < sent.size(); i++) {
            assertThat(sent.get(i).nanos()).isEqualTo(first + every20(i));
        }
    }

    @Test
    void leavesAllSpeechAloneWhenToldTo() {
        output = output(0);
        speak(5 * SECOND, i -> every20(Math.max(0, i - 3)));
        assertThat(waitsAfter(4 * SECOND)[0]).isGreaterThan(55);
    }

    @Test
    void keepsAReserveForASourceThatIsNowAndThenLate() {
        Random random = new Random(7);
        // Each second one piece is up to 18 ms late, and those behind it are not.
        speak(120 * SECOND, i -> every20(i) + (i % SECOND == 0 ? random.nextLong(18 * MILLI) : 0));
        assertThat(gapsAfter(0)).isLessThan(4);
        assertThat(gapsAfter(60 * SECOND)).isZero();
        assertThat(waitsAfter(60 * SECOND)[1]).isLessThan(42);
    }

    @Test
    void takesThePiecesOfALongMessageForWhatTheyAre() {
        // 100 ms at a time: what comes last of it has to wait.
        speak(20 * SECOND, i -> 40 * MILLI + every20(i / 5 * 5));
        assertThat(waitsAfter(3 * SECOND)[0]).isBetween(5.0, 8.0);
        assertThat(waitsAfter(3 * SECOND)[1]).isBetween(85.0, 88.0);
        assertThat(gapsAfter(0)).isZero();
    }

    @Test
    void learnsFromGapsOfASourceWhoseMessagesAreLong() {
        // Each third second a message of 100 ms is 30 ms late.
        speak(
                60 * SECOND,
                i -> 40 * MILLI + every20(i / 5 * 5) + (i / 5 % 30 == 29 ? 30 * MILLI : 0));
        assertThat(gapsAfter(0)).isPositive().isLessThan(9);
        assertThat(gapsAfter(30 * SECOND)).isZero();
    }

    @Test
    void learnsFromPacketsThatHadToBeFilledUp() {
        // Without what it learns it would be more than three a second.
        assertThat(filledUp(60, 1_024)).isBetween(1, 10);
    }

    /** Packets of 20 ms that had to be filled up, of PCM that comes as it is spoken. */
    private int filledUp(int seconds, int samplesAtATime) {
        int filledUp = 0;
        InferenceFormat format = new InferenceFormat(Encoding.LINEAR16, 24_000);
        ByteString message = ByteString.copyFrom(new byte[2 * samplesAtATime]);
        OutputInbox inbox = new OutputInbox(() -> {});
        try (VoiceOutput voice =
                new VoiceOutput(
                        format,
                        20,
                        () -> new VoiceEncoder(OpusLibrary.best(), format, OpusSettings.VOICE),
                        inbox,
                        (_, _) -> {})) {
            long messages = 0;
            while (now < seconds * 1_000L * MILLI) {
                if (now * 24 / MILLI >= messages * samplesAtATime) {
                    messages++;
                    item.said(now);
                    voice.audio(item, message, 2 * samplesAtATime);
                }
                while (voice.runOnce(now)) {}
                for (OutputItem next = inbox.poll(); next != null; next = inbox.poll()) {
                    filledUp += next instanceof Frame frame && frame.paddingSamples() > 0 ? 1 : 0;
                    playout.offer(next);
                }
                output.hasten(now);
                long before = playout.leftFrames();
                runUntil(now + MILLI);
                inbox.left((int) (playout.leftFrames() - before));
            }
        }
        return filledUp;
    }

    @Test
    void leavesTheCushionThatWasAskedFor() {
        playout = new Playout(40 * 48, new DeafListener());
        output = output(LIVE_NANOS);
        speak(10 * SECOND, i -> every20(Math.max(0, i - 3)));
        assertThat(waitsAfter(3 * SECOND)[0]).isBetween(40.0, 43.0);
    }

    @Test
    void letsWhatComesAfterAPauseLeaveWhenItComes() {
        runUntil(501 * MILLI);
        speak(SECOND, CatchUpTest::every20);
        // A lone packet waits for the cushion of 5 ms, and then for those of other calls.
        assertThat(waitsAfter(0)).containsExactly(6.5, 6.5);
        runUntil(now + 1_000 * MILLI);
        speak(SECOND, _ -> 3 * MILLI);
        runUntil(now + 1_500 * MILLI);
        assertThat(waitsAfter(SECOND)[0]).isLessThan(2.5);
    }

    @Test
    void doesNotFillInForWhatItsOwnLateTurnHasHeldUp() {
        speak(3 * SECOND, CatchUpTest::every20);
        double wait = waitsAfter(2 * SECOND)[1];
        stall(90 * MILLI);
        // The source heard the caller as late, so its next packets come in a heap.
        speak(SECOND, i -> Math.max(3 * MILLI, every20(i) - 70 * MILLI));
        runUntil(now + 10 * MILLI);
        assertThat(gapsAfter(0)).isZero();
        assertThat(waitsAfter(3 * SECOND + 5)).containsExactly(wait, wait);
    }

    @Test
    void fillsInWhenNothingComesAfterALateTurn() {
        speak(3 * SECOND, CatchUpTest::every20);
        long due = output.dueNanos();
        stall(due + 30 * MILLI - now);
        assertThat(gapsAfter(0)).isZero();
        runUntil(due + 49 * MILLI);
        assertThat(gapsAfter(0)).isZero();
        runUntil(due + 50 * MILLI);
        // The first that was due had been said in time.
        assertThat(gapsAfter(0)).isEqualTo(2);
    }

    @Test
    void learnsNoJitterFromItsOwnLateTurns() {
        speak(3 * SECOND, CatchUpTest::every20);
        for (int i = 0; i < 5; i++) {
            stall(70 * MILLI);
            speak(5 * SECOND, j -> every20(j) + 60 * MILLI);
        }
        assertThat(gapsAfter(0)).isPositive();
        assertThat(waitsAfter(sent.getLast().number() - SECOND)[1]).isLessThan(9);
    }

    @Test
    void catchesUpWithinASecondAfterAGap() {
        speak(3 * SECOND, CatchUpTest::every20);
        // Three packets are late by what a network may take, and come with the fourth.
        speak(3 * SECOND, i -> every20(Math.max(3, i)));
        assertThat(gapsAfter(0)).isPositive();
        assertThat(waitsAfter(4 * SECOND)[1]).isLessThan(15);
    }

    @Test
    void takesBackTheReserveThatASourceNoLongerNeeds() {
        Random random = new Random(7);
        speak(30 * SECOND, i -> every20(i) + (i % SECOND == 0 ? random.nextLong(40 * MILLI) : 0));
        int bad = said.size();
        assertThat(waitsAfter(bad - SECOND)[1]).isGreaterThan(35);
        speak(90 * SECOND, CatchUpTest::every20);
        assertThat(waitsAfter(bad + 80 * SECOND)[1]).isLessThan(13);
        assertThat(gapsAfter(bad)).isZero();
    }

    @Test
    void staysAtMostAPacketAheadOfItsClockHoweverOftenItIsHastened() {
        for (int spurt = 0; spurt < 100; spurt++) {
            speak(5, _ -> MILLI);
            runUntil(now + 222 * MILLI);
            Sent last = sent.getLast();
            assertThat(last.timestamp() / 48 * MILLI - last.nanos()).isLessThan(40 * MILLI);
        }
    }

    @Test
    void hasNoDriftOverSpeechAndPauses() {
        for (int turn = 0; turn < 200; turn++) {
            speak(2 * SECOND, CatchUpTest::every20);
            runUntil(now + 1_013 * MILLI);
        }
        Sent last = sent.getLast();
        long behind = last.nanos() - last.timestamp() / 48 * MILLI;
        assertThat(behind).isBetween(-20 * MILLI, 20 * MILLI);
    }
}
