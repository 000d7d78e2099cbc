package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TelephoneKeysTest {
    private static final long MILLI = 1_000_000L;

    private final List<String> keys = new ArrayList<>();
    private final TelephoneKeys events =
            new TelephoneKeys(48_000, (key, millis) -> keys.add(key + " " + millis));

    private boolean accept(int timestamp, int event, boolean end, int duration, long millis) {
        ByteBuffer payload = ByteBuffer.allocate(6);
        payload.put(1, (byte) event).put(2, (byte) (end ? 0x8A : 0x0A));
        payload.putShort(3, (short) duration);
        return events.accept(timestamp, payload, 1, 4, millis * MILLI);
    }

    private void press(int timestamp, int event, int millis) {
        for (int held = 20; held <= millis; held += 20) {
            accept(timestamp, event, false, held * 48, held);
        }
    }

    private void release(int timestamp, int event, int millis) {
        for (int i = 0; i < 3; i++) {
            accept(timestamp, event, true, millis * 48, millis);
        }
    }

    @Test
    void reportsOnePressOnceHoweverManyPacketsTellOfIt() {
        press(1_000, 5, 100);
        assertThat(keys).isEmpty();
        release(1_000, 5, 100);
        assertThat(keys).containsExactly("5 100");
    }

    @Test
    void tellsTwoPressesOfOneKeyApart() {
        press(1_000, 11, 100);
        release(1_000, 11, 100);
        press(20_000, 11, 80);
        release(20_000, 11, 80);
        assertThat(keys).containsExactly("# 100", "# 80");
    }

    @Test
    void needsNoMoreThanOneOfTheLastPackets() {
        accept(1_000, 10, true, 100 * 48, 0);
        assertThat(keys).containsExactly("* 100");
    }

    @Test
    void endsAPressWithTheNextOneWhenAllLastPacketsAreLost() {
        press(1_000, 1, 100);
        press(20_000, 2, 60);
        assertThat(keys).containsExactly("1 100");
    }

    @Test
    void endsAPressThatIsNotHeardOfAnyMore() {
        press(1_000, 1, 100);
        events.onDeadline(299 * MILLI);
        assertThat(keys).isEmpty();
        assertThat(events.deadlineNanos()).isEqualTo(300 * MILLI);
        events.onDeadline(300 * MILLI);
        assertThat(keys).containsExactly("1 100");
        release(1_000, 1, 120);
        assertThat(keys).hasSize(1);
    }

    @Test
    void addsUpTheSegmentsOfALongPress() {
        // RFC 4733 2.5.1.3: 65,535 ticks of 48 kHz are 1.37 s.
        accept(1_000, 7, false, 48_000, 1_000);
        accept(1_000, 7, false, 0xFFFF, 1_365);
        accept(1_000 + 0xFFFF, 7, false, 10_000, 1_573);
        accept(1_000 + 0xFFFF, 7, false, 0xFFFF, 2_730);
        accept(1_000 + 2 * 0xFFFF, 7, true, 12_930, 3_000);
        assertThat(keys).containsExactly("7 3000");
    }

    @Test
    void passesOverStragglersOfAnEarlierPress() {
        press(1_000, 1, 100);
        press(20_000, 2, 60);
        release(1_000, 1, 100);
        release(20_000, 2, 60);
        assertThat(keys).containsExactly("1 100", "2 60");
    }

    @Test
    void followsTimestampsAcrossTheirWrap() {
        press(-100, 1, 60);
        release(-100, 1, 60);
        press(20_000, 2, 60);
        release(20_000, 2, 60);
        assertThat(keys).containsExactly("1 60", "2 60");
    }

    @Test
    void countsDurationsOnItsOwnClock() {
        TelephoneKeys slow =
                new TelephoneKeys(8_000, (key, millis) -> keys.add(key + " " + millis));
        ByteBuffer payload = ByteBuffer.allocate(4).put(0, (byte) 3).put(1, (byte) 0x80);
        slow.accept(1, payload.putShort(2, (short) 800), 0, 4, 0);
        assertThat(keys).containsExactly("3 100");
    }

    @Test
    void refusesWhatIsNoKey() {
        assertThat(accept(1, 16, true, 480, 0)).isFalse();
        assertThat(events.accept(1, ByteBuffer.allocate(3), 0, 3, 0)).isFalse();
        assertThat(keys).isEmpty();
        assertThat(events.pressed()).isFalse();
    }

    @Test
    void reportsEachPressAtMostOnceWhateverComes() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            keys.clear();
            events.restart();
            keys.clear();
            Set<Integer> presses = new HashSet<>();
            int last = 0;
            for (int i = 0; i < 200; i++) {
                if (random.nextInt(5) == 0) {
                    last += random.nextInt(100_000);
                }
                int timestamp = last - (random.nextInt(10) == 0 ? 5_000 : 0);
                presses.add(timestamp);
                accept(
                        timestamp,
                        random.nextInt(20),
                        random.nextInt(4) == 0,
                        random.nextInt(0x10000),
                        i * 20L);
                events.onDeadline(i * 20L * MILLI);
            }
            assertThat(keys.size()).as("seed %d", seed).isLessThanOrEqualTo(presses.size());
        }
    }
}
