package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.media.ReorderBuffer.Kind;
import dev.parley.transceiver.media.ReorderBuffer.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReorderBufferTest {
    private static final long MILLI = 1_000_000L;
    private static final long WAIT = 60 * MILLI;

    private final List<String> passed = new ArrayList<>();
    private final ReorderBuffer buffer = new ReorderBuffer(WAIT, this::take);

    private void take(
            long sequence,
            int timestamp,
            Kind kind,
            int missing,
            int level,
            ByteBuffer bytes,
            int offset,
            int length,
            long arrival) {
        boolean whole =
                bytes.get(offset) == (byte) sequence && length == 2 && timestamp == sequence * 960;
        passed.add(
                sequence
                        + (missing > 0 ? " after " + missing : "")
                        + (kind == Kind.COPY ? " copy" : "")
                        + (whole ? "" : " damaged"));
    }

    private Verdict accept(long sequence) {
        return accept(sequence, 0);
    }

    private Verdict accept(long sequence, long now) {
        return accept(buffer, sequence, now);
    }

    private static Verdict accept(ReorderBuffer into, long sequence, long now) {
        ByteBuffer bytes = ByteBuffer.allocate(10);
        bytes.put(4, (byte) sequence);
        int timestamp = (int) sequence * 960;
        return into.accept(sequence, timestamp, Kind.VOICE, false, -1, bytes, 4, 2, now);
    }

    private boolean copy(long carrier, long sequence) {
        ByteBuffer bytes = ByteBuffer.allocate(10);
        bytes.put(4, (byte) sequence);
        return buffer.acceptCopy(carrier, (int) sequence * 960, bytes, 4, 2, 0);
    }

    /** Has the buffer learn that this network swaps packets and brings them after so long. */
    private void learnSwaps(long afterNanos) {
        for (long i = 0; i < 80; i += 2) {
            accept(i + 1_001, 0);
            accept(i + 1_000, afterNanos);
            buffer.onDeadline(Long.MAX_VALUE / 2);
        }
        buffer.restart();
        passed.clear();
    }

    @Test
    void passesPacketsInOrderAtOnce() {
        for (int i = 10; i < 14; i++) {
            assertThat(accept(i)).isEqualTo(Verdict.PASSED);
        }
        assertThat(passed).containsExactly("10", "11", "12", "13");
        assertThat(buffer.waiting()).isFalse();
    }

    @Test
    void putsTwoSwappedPacketsRight() {
        accept(1);
        assertThat(accept(3)).isEqualTo(Verdict.HELD);
        assertThat(passed).containsExactly("1");
        assertThat(accept(2)).isEqualTo(Verdict.PASSED);
        assertThat(passed).containsExactly("1", "2", "3");
        assertThat(buffer.waiting()).isFalse();
    }

    @Test
    void givesUpWhenTheTimeIsOver() {
        accept(1, 0);
        accept(3, 5);
        long deadline = buffer.deadlineNanos();
        assertThat(deadline).isBetween(10 * MILLI, 20 * MILLI);
        buffer.onDeadline(deadline - 1);
        assertThat(passed).containsExactly("1");
        buffer.onDeadline(deadline);
        assertThat(passed).containsExactly("1", "3 after 1");
        assertThat(accept(2)).isEqualTo(Verdict.LATE);
    }

    @Test
    void waitsForEachGapFromWhenItWasSeen() {
        accept(1, 0);
        accept(3, 0);
        accept(5, 10 * MILLI);
        long first = buffer.deadlineNanos();
        buffer.onDeadline(first);
        assertThat(passed).containsExactly("1", "3 after 1");
        assertThat(buffer.waiting()).isTrue();
        assertThat(buffer.deadlineNanos()).isEqualTo(first + 10 * MILLI);
        accept(4, first + 1);
        assertThat(passed).containsExactly("1", "3 after 1", "4", "5");
    }

    @Test
    void doesNotWaitWhereNothingMissingEverComes() {
        for (int i = 0; i < 400; i += 2) {
            accept(i, i * 20L * MILLI);
            buffer.onDeadline(i * 20L * MILLI);
        }
        assertThat(buffer.waiting()).isFalse();
        assertThat(accept(400, 8_000 * MILLI)).isEqualTo(Verdict.PASSED);
    }

    @Test
    void waitsLongerOnANetworkThatSwapsFar() {
        learnSwaps(40 * MILLI);
        accept(1, 0);
        accept(3, 0);
        buffer.onDeadline(39 * MILLI);
        accept(2, 40 * MILLI);
        assertThat(passed).containsExactly("1", "2", "3");
    }

    @Test
    void fillsAGapWithACopyAtOnce() {
        accept(1);
        assertThat(copy(3, 2)).isTrue();
        assertThat(accept(3)).isEqualTo(Verdict.PASSED);
        assertThat(passed).containsExactly("1", "2 copy", "3");
        assertThat(accept(2)).isEqualTo(Verdict.DUPLICATE);
    }

    @Test
    void fillsALongerGapWithSeveralCopies() {
        accept(1);
        assertThat(copy(4, 3)).isTrue();
        assertThat(copy(4, 2)).isTrue();
        accept(4);
        assertThat(passed).containsExactly("1", "2 copy", "3 copy", "4");
    }

    @Test
    void findsAPlaceForTheOlderOfTwoCopies() {
        accept(1);
        accept(3);
        // The carrier's copies are of 2 and 3; only the first is missing.
        assertThat(copy(4, 3)).isFalse();
        assertThat(copy(4, 2)).isTrue();
        accept(4);
        assertThat(passed).containsExactly("1", "2 copy", "3", "4");
    }

    @Test
    void takesNoCopyOfWhatHasPassed() {
        assertThat(copy(1, 0)).isFalse();
        accept(1);
        assertThat(copy(2, 1)).isFalse();
        accept(2);
        // Seven is missing, and its place is not for audio from before six.
        accept(6);
        buffer.onDeadline(Long.MAX_VALUE / 2);
        assertThat(copy(8, 5)).isFalse();
        accept(8);
        buffer.onDeadline(Long.MAX_VALUE / 2);
        assertThat(passed).containsExactly("1", "2", "6 after 3", "8 after 1");
    }

    @Test
    void waitsForARetransmissionWhenTheRoundTripAllows() {
        buffer.gaps().enableRequests();
        buffer.gaps().roundTrip(30 * MILLI);
        accept(65_534, 0);
        accept(65_537, 0);
        assertThat(buffer.gaps().requestPending()).isTrue();
        assertThat(buffer.gaps().requestFirst()).isEqualTo(65_535);
        assertThat(buffer.gaps().requestFollowing()).isEqualTo(1);
        buffer.gaps().requested();
        assertThat(buffer.gaps().requestPending()).isFalse();
        buffer.onDeadline(47 * MILLI);
        assertThat(buffer.waiting()).isTrue();
        buffer.onDeadline(48 * MILLI);
        assertThat(buffer.waiting()).isFalse();
    }

    @Test
    void asksForNothingThatWouldComeTooLate() {
        buffer.gaps().enableRequests();
        accept(1, 0);
        accept(3, 0);
        assertThat(buffer.gaps().requestPending()).isFalse();
        buffer.gaps().roundTrip(45 * MILLI);
        accept(5, 0);
        assertThat(buffer.gaps().requestPending()).isFalse();
    }

    @Test
    void stopsAskingAClientThatDoesNotAnswer() {
        buffer.gaps().enableRequests();
        buffer.gaps().roundTrip(10 * MILLI);
        for (int i = 0; i < 400; i += 2) {
            accept(i, i * 20L * MILLI);
            buffer.onDeadline(i * 20L * MILLI);
            buffer.gaps().requested();
        }
        accept(400, 8_000 * MILLI);
        assertThat(buffer.gaps().requestPending()).isFalse();
        assertThat(buffer.gaps().requests()).isLessThan(60);
    }

    @Test
    void asksForNothingOfAnOutageAndGoesOnAskingAfterwards() {
        buffer.gaps().enableRequests();
        buffer.gaps().roundTrip(10 * MILLI);
        accept(1, 0);
        accept(51, 0);
        assertThat(buffer.gaps().requestPending()).isFalse();
        for (int i = 52; i < 200; i++) {
            accept(i, 0);
        }
        accept(201, 0);
        assertThat(buffer.gaps().requestFirst()).isEqualTo(200);
    }

    @Test
    void blamesNoClientForWhatItWasNotAsked() {
        buffer.gaps().enableRequests();
        buffer.gaps().roundTrip(10 * MILLI);
        accept(1, 0);
        accept(32, 0);
        // RFC 4585 6.2.1: one request has room for 17.
        assertThat(buffer.gaps().requests()).isEqualTo(17);
        buffer.gaps().requested();
        for (int i = 2; i < 19; i++) {
            accept(i, 10 * MILLI);
        }
        for (int i = 33; i < 200; i++) {
            accept(i, 10 * MILLI);
        }
        accept(201, 10 * MILLI);
        assertThat(buffer.gaps().requestPending()).isTrue();
    }

    @Test
    void tellsDuplicatesFromLateOnes() {
        accept(1);
        accept(3);
        assertThat(accept(3)).isEqualTo(Verdict.DUPLICATE);
        assertThat(accept(1)).isEqualTo(Verdict.LATE);
        assertThat(accept(0)).isEqualTo(Verdict.LATE);
    }

    @Test
    void doesNotWaitForAWholeOutage() {
        accept(1);
        accept(3);
        assertThat(accept(500)).isEqualTo(Verdict.PASSED);
        assertThat(passed).containsExactly("1", "3 after 1", "500 after 496");
    }

    @Test
    void startsAnewWithAnotherSource() {
        accept(100);
        accept(102);
        buffer.restart();
        assertThat(accept(7)).isEqualTo(Verdict.PASSED);
        assertThat(passed).containsExactly("100", "102 after 1", "7");
    }

    @Test
    void neverStepsBackAndLosesNothingThatCameInTime() {
        for (long seed = 0; seed < 200; seed++) {
            List<Long> out = new ArrayList<>();
            long[] missed = new long[1];
            ReorderBuffer shaken =
                    new ReorderBuffer(
                            WAIT,
                            (sequence, ts, kind, missing, level, bytes, at, length, arrival) -> {
                                out.add(sequence);
                                missed[0] += missing;
                            });
            Random random = new Random(seed);
            int late = 0;
            int sent = 0;
            List<Long> wire = new ArrayList<>();
            for (long i = 0; i < 300; i++) {
                if (i == 0 || random.nextInt(10) > 0) {
                    wire.add(
                            Math.max(Math.min(1, wire.size()), wire.size() - random.nextInt(3)), i);
                }
            }
            for (int i = 0; i < wire.size(); i++) {
                long sequence = wire.get(i);
                sent++;
                long now = i * 20_000_000L;
                shaken.onDeadline(now);
                Verdict verdict = accept(shaken, sequence, now);
                late += verdict == Verdict.LATE ? 1 : 0;
            }
            shaken.restart();
            assertThat(out).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
            assertThat(out.size() + late).as("seed %d", seed).isEqualTo(sent);
            assertThat(out.size() + missed[0])
                    .as("seed %d", seed)
                    .isEqualTo(out.getLast() - out.getFirst() + 1);
        }
    }
}
