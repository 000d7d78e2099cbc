package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.media.ReorderBuffer.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReorderBufferTest {
    private static final long WAIT = 60_000_000L;

    private final List<String> passed = new ArrayList<>();
    private final ReorderBuffer buffer =
            new ReorderBuffer(
                    3,
                    WAIT,
                    (sequence, timestamp, missing, level, bytes, offset, length, now) ->
                            passed.add(
                                    sequence
                                            + (missing > 0 ? " after " + missing : "")
                                            + (bytes.get(offset) == (byte) sequence
                                                            && length == 2
                                                            && timestamp == sequence * 960
                                                    ? ""
                                                    : " damaged")));

    private Verdict accept(long sequence) {
        return accept(sequence, 0);
    }

    private Verdict accept(long sequence, long now) {
        ByteBuffer bytes = ByteBuffer.allocate(10);
        bytes.put(4, (byte) sequence);
        return buffer.accept(sequence, (int) sequence * 960, -1, bytes, 4, 2, now);
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
        assertThat(buffer.deadlineNanos()).isEqualTo(5 + WAIT);
        buffer.onDeadline(4 + WAIT);
        assertThat(passed).containsExactly("1");
        buffer.onDeadline(5 + WAIT);
        assertThat(passed).containsExactly("1", "3 after 1");
        assertThat(accept(2)).isEqualTo(Verdict.LATE);
    }

    @Test
    void givesUpWhenThreeWait() {
        accept(1);
        accept(4);
        accept(5);
        assertThat(accept(6)).isEqualTo(Verdict.PASSED);
        assertThat(passed).containsExactly("1", "4 after 2", "5", "6");
    }

    @Test
    void waitsAnewForASecondGap() {
        accept(1, 0);
        accept(3, 0);
        accept(5, 10);
        buffer.onDeadline(WAIT);
        assertThat(passed).containsExactly("1", "3 after 1");
        assertThat(buffer.waiting()).isTrue();
        assertThat(buffer.deadlineNanos()).isEqualTo(2 * WAIT);
        accept(4, WAIT + 1);
        assertThat(passed).containsExactly("1", "3 after 1", "4", "5");
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
        buffer.restart(0);
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
                            3,
                            WAIT,
                            (sequence, timestamp, missing, level, bytes, offset, length, now) -> {
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
                Verdict verdict = shaken.accept(sequence, 0, -1, ByteBuffer.allocate(1), 0, 1, now);
                late += verdict == Verdict.LATE ? 1 : 0;
            }
            shaken.restart(Long.MAX_VALUE);
            assertThat(out).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
            assertThat(out.size() + late).as("seed %d", seed).isEqualTo(sent);
            assertThat(out.size() + missed[0])
                    .as("seed %d", seed)
                    .isEqualTo(out.getLast() - out.getFirst() + 1);
        }
    }
}
