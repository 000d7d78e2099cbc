package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PeerTableTest {
    private final PeerTable<String> table = new PeerTable<>(42);

    private List<String> at(long low, int port) {
        List<String> found = new ArrayList<>();
        for (int i = table.first(0, low, port); i >= 0; i = table.next(i)) {
            found.add(table.session(i));
        }
        return found;
    }

    @Test
    void putsTheSessionCheckedLastFirst() {
        table.put(0, 1, 1, "a");
        table.put(0, 1, 1, "b");
        assertThat(at(1, 1)).containsExactly("b", "a");
        assertThat(table.put(0, 1, 1, "a")).isFalse();
        assertThat(at(1, 1)).containsExactly("a", "b");
        assertThat(at(1, 2)).isEmpty();
    }

    @Test
    void removesOneOfAnAddress() {
        table.put(0, 1, 1, "a");
        table.put(0, 1, 1, "b");
        table.put(0, 1, 1, "c");
        table.remove(0, 1, 1, "b");
        table.remove(0, 1, 1, "unknown");
        assertThat(at(1, 1)).containsExactly("c", "a");
        assertThat(table.size()).isEqualTo(2);
    }

    @Test
    void agreesWithAMapOfLists() {
        Random random = new Random(9);
        Map<Long, List<String>> model = new HashMap<>();
        for (int step = 0; step < 50_000; step++) {
            long low = random.nextInt(300);
            String session = "s" + random.nextInt(4);
            List<String> expected = model.computeIfAbsent(low, _ -> new ArrayList<>());
            if (random.nextInt(3) > 0) {
                table.put(0, low, 5, interned(session));
                expected.remove(session);
                expected.addFirst(session);
            } else {
                table.remove(0, low, 5, interned(session));
                expected.remove(session);
            }
            assertThat(at(low, 5)).isEqualTo(expected);
        }
        assertThat(table.size()).isEqualTo(model.values().stream().mapToInt(List::size).sum());
    }

    /** The table compares by identity. */
    private static String interned(String text) {
        return text.intern();
    }
}
