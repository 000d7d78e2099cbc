package dev.parley.e2e.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkQueueTest {
    private static final long MILLISECOND = 1_000_000L;
    // Deadlines must compare as differences.
    private static final long START = Math.subtractExact(Long.MAX_VALUE, 5 * MILLISECOND);
    private static final int COUNT = 10_000;

    @Test
    void clearLinkHandsPacketsOverAtOnceAndInOrder() {
        List<Arrival> arrivals = send(LinkProfile.CLEAR, 1);

        assertThat(arrivals).hasSize(COUNT).allMatch(arrival -> arrival.tookNanos == 0);
        assertThat(overtaken(arrivals)).isZero();
    }

    @Test
    void delayLiesAroundItsMeanAndJitterMakesPacketsOvertake() {
        List<Arrival> arrivals = send(LinkProfile.CLEAR.delay(100, 30), 2);

        assertThat(arrivals).hasSize(COUNT);
        assertThat(arrivals)
                .allMatch(a -> a.tookNanos >= 70 * MILLISECOND && a.tookNanos <= 130 * MILLISECOND);
        assertThat(arrivals.stream().mapToLong(a -> a.tookNanos).average().orElseThrow())
                .isBetween(98e6, 102e6);
        assertThat(overtaken(arrivals)).isPositive();
    }

    @Test
    void losesDuplicatesAndReordersAsOftenAsItSays() {
        assertThat(send(LinkProfile.CLEAR.loss(0.05), 3)).hasSizeBetween(9_400, 9_600);
        assertThat(send(LinkProfile.CLEAR.duplicate(0.1), 4)).hasSizeBetween(10_850, 11_150);
        List<Arrival> reordered = send(LinkProfile.CLEAR.delay(100, 0).reorder(0.1), 5);
        assertThat(reordered.stream().filter(a -> a.tookNanos == 0)).hasSizeBetween(900, 1_100);
        assertThat(send(LinkProfile.CUT, 6)).isEmpty();
    }

    @Test
    void losesInBursts() {
        List<Arrival> arrivals = send(LinkProfile.CLEAR.bursts(0.01, 10), 7);

        int lost = COUNT - arrivals.size();
        long bursts = 0;
        for (int i = 1; i < arrivals.size(); i++) {
            bursts += arrivals.get(i).number - arrivals.get(i - 1).number > 1 ? 1 : 0;
        }
        assertThat(lost).isBetween(600, 1_200);
        assertThat(lost / (double) bursts).isBetween(7.0, 13.0);
    }

    @Test
    void rateSpreadsPacketsAndDropsWhatWouldWaitTooLong() {
        // 100 bytes at 80 kb/s take 10 ms.
        LinkQueue queue = new LinkQueue(8);
        LinkProfile profile = LinkProfile.CLEAR.rate(80_000, 35);
        for (int i = 0; i < 10; i++) {
            queue.offer(profile, packet(i), START);
        }

        assertThat(queue.lost()).isEqualTo(7);
        assertThat(queue.poll(START + 10 * MILLISECOND - 1)).isNull();
        assertThat(queue.poll(START + 10 * MILLISECOND)).isNotNull();
        assertThat(queue.untilNext(START + 10 * MILLISECOND, Long.MAX_VALUE))
                .isEqualTo(10 * MILLISECOND);
    }

    @Test
    void oneSeedMakesOneRun() {
        LinkProfile profile =
                LinkProfile.CLEAR.delay(50, 50).loss(0.1).duplicate(0.1).reorder(0.1).corrupt(0.1);

        assertThat(send(profile, 9)).isEqualTo(send(profile, 9)).isNotEqualTo(send(profile, 10));
    }

    private record Arrival(int number, long tookNanos) {}

    /** Sends a packet each 20 ms and tells which came out when. */
    private static List<Arrival> send(LinkProfile profile, long seed) {
        LinkQueue queue = new LinkQueue(seed);
        List<Arrival> arrivals = new ArrayList<>();
        long now = START;
        for (int i = 0; i < COUNT + 20; i++) {
            if (i < COUNT) {
                queue.offer(profile, packet(i), now);
            }
            long end = now + 20 * MILLISECOND;
            for (long wait = queue.untilNext(now, end - now);
                    now - end < 0;
                    wait = queue.untilNext(now, end - now)) {
                now += wait;
                byte[] packet = now - end < 0 ? queue.poll(now) : null;
                if (packet != null) {
                    int number = ((packet[0] & 0xFF) << 8) | (packet[1] & 0xFF);
                    arrivals.add(new Arrival(number, now - START - 20L * number * MILLISECOND));
                }
            }
        }
        return arrivals;
    }

    private static int overtaken(List<Arrival> arrivals) {
        int count = 0;
        for (int i = 1; i < arrivals.size(); i++) {
            count += arrivals.get(i).number < arrivals.get(i - 1).number ? 1 : 0;
        }
        return count;
    }

    private static byte[] packet(int number) {
        byte[] packet = new byte[100];
        packet[0] = (byte) (number >> 8);
        packet[1] = (byte) number;
        return packet;
    }
}
