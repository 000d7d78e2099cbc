package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LegSendersTest {
    private static final long IDLE = 1_000;

    private static final int ROOM = 300;

    private final LegSenders senders = new LegSenders(IDLE);

    @BeforeEach
    void makeRoom() {
        senders.room(ROOM);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, Integer.MAX_VALUE - 3, -2, Integer.MIN_VALUE})
    void eachNumberCountsOnceWhereverItGoesRound(int first) {
        int sender = senders.find(2, 9, first, 0);
        assertThat(senders.accept(sender, first, 0)).isTrue();
        assertThat(senders.accept(sender, first, 0)).isFalse();
        assertThat(senders.accept(sender, first + 3, 0)).isTrue();
        assertThat(senders.accept(sender, first + 1, 0)).as("overtaken").isTrue();
        assertThat(senders.accept(sender, first + 1, 0)).isFalse();
        assertThat(senders.accept(sender, first + 3, 0)).isFalse();
        assertThat(senders.accept(sender, first - 1, 0)).as("sent before the first").isTrue();
    }

    @Test
    void whatIsOlderThanTheWindowIsRefusedAndWhatEntersItIsNew() {
        int sender = senders.find(2, 9, 0, 0);
        for (int i = 0; i <= LegSenders.WINDOW; i++) {
            assertThat(senders.accept(sender, i, 0)).as("%d", i).isTrue();
        }
        assertThat(senders.accept(sender, 0, 0)).isFalse();
        assertThat(senders.accept(sender, 1, 0)).isFalse();
        assertThat(senders.accept(sender, LegSenders.WINDOW + 100, 0)).isTrue();
        assertThat(senders.accept(sender, LegSenders.WINDOW + 50, 0)).isTrue();
        assertThat(senders.accept(sender, 50 * LegSenders.WINDOW, 0)).isTrue();
        assertThat(senders.accept(sender, 50 * LegSenders.WINDOW - 1, 0)).isTrue();
        assertThat(senders.accept(sender, LegSenders.WINDOW + 99, 0)).isFalse();
    }

    @Test
    void eachStartOfEachClusterIsASenderOfItsOwn() {
        int one = senders.find(2, 9, 0, 0);
        assertThat(senders.accept(one, 0, 0)).isTrue();
        assertThat(senders.find(2, 9, 1, 0)).isEqualTo(one);
        int restarted = senders.find(2, 10, 0, 0);
        int other = senders.find(3, 9, 0, 0);
        assertThat(new int[] {one, restarted, other}).doesNotHaveDuplicates();
        assertThat(senders.accept(restarted, 0, 0)).isTrue();
        assertThat(senders.cluster(other)).isEqualTo(3);
    }

    @Test
    void silentOnesMakeRoomAndNobodyElseDoes() {
        for (int sender = 0; sender < ROOM; sender++) {
            assertThat(senders.accept(senders.find(2, sender, 0, 0), 0, 0)).isTrue();
        }
        assertThat(senders.find(2, ROOM, 0, IDLE)).isEqualTo(LegSenders.NONE);
        // All but one of them have fallen silent, one after another is forgotten.
        assertThat(senders.accept(senders.find(2, 7, 1, IDLE), 1, IDLE)).isTrue();
        for (int sender = ROOM; sender < 2 * ROOM - 1; sender++) {
            int number = senders.find(2, sender, 5, IDLE + 1);
            assertThat(number).as("%d", sender).isNotEqualTo(LegSenders.NONE);
            assertThat(senders.accept(number, 5, IDLE + 1)).isTrue();
            assertThat(senders.find(2, sender, 6, IDLE + 1)).isEqualTo(number);
        }
        assertThat(senders.accept(senders.find(2, 7, 1, IDLE + 1), 1, IDLE + 1)).isFalse();
        assertThat(senders.find(2, 2 * ROOM, 0, IDLE + 1)).isEqualTo(LegSenders.NONE);
    }

    @Test
    void moreRoomChangesNobodysNumber() {
        int[] numbers = new int[ROOM];
        for (int sender = 0; sender < ROOM; sender++) {
            numbers[sender] = senders.find(2, sender * 77, 0, 0);
            assertThat(senders.accept(numbers[sender], 0, 0)).isTrue();
            senders.at(numbers[sender], sender, 3);
        }
        senders.room(4 * ROOM);
        for (int sender = 0; sender < ROOM; sender++) {
            assertThat(senders.find(2, sender * 77, 1, 0)).isEqualTo(numbers[sender]);
            assertThat(senders.accept(numbers[sender], 0, 0)).isFalse();
            assertThat(senders.gateName(numbers[sender])).isEqualTo(sender);
        }
        assertThat(senders.find(3, 0, 0, 0)).isEqualTo(ROOM);
    }

    @Test
    void whatAnotherProcessHasTakenIsRefusedHere() {
        int sender = senders.find(2, 9, 100, 0);
        assertThat(senders.accept(sender, 100, 0)).isTrue();
        senders.at(sender, 55, 1);
        LegSenders next = new LegSenders(IDLE);
        int known = next.restore(senders.key(sender), 55, senders.newest(sender), 0);
        assertThat(next.find(2, 9, 101, 0)).isEqualTo(known);
        assertThat(next.gateName(known)).isEqualTo(55);
        assertThat(next.accept(known, 100, 0)).isFalse();
        assertThat(next.accept(known, 99, 0)).isFalse();
        assertThat(next.accept(known, 101, 0)).isTrue();
        assertThat(next.restore(senders.key(sender), 55, 100, 0)).isEqualTo(known);
        assertThat(next.accept(known, 101, 0)).isFalse();
    }
}
