package dev.parley.rtc.sctp;

import static dev.parley.rtc.sctp.Packets.types;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** RFC 9260 6 and 7: what is sent when, in answer to which SACKs. */
class CongestionTest {
    private static final int WINDOW = 1_000_000;
    private static final int CHUNK = 1_148;
    private static final long MILLIS = 1_000_000L;

    private final Packets peer = new Packets(SctpConfig.DEFAULT);
    private int first;

    @BeforeEach
    void establish() {
        peer.establish(WINDOW, "");
        first = peer.localTsn;
    }

    private List<Integer> sentTsns() {
        return peer.sent().stream()
                .filter(c -> c[0] == 0)
                .map(c -> Wire.i32(c, 4) - first)
                .toList();
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @Test
    @DisplayName("7.2.1: ten packets at first, then two for each that is acknowledged")
    void slowStart() {
        peer.send(200_000);
        assertThat(sentTsns()).isEqualTo(range(0, 10));
        assertThat(peer.sent()).isEmpty();
        peer.sack(first + 1, WINDOW);
        assertThat(sentTsns()).isEqualTo(range(10, 14));
        assertThat(peer.association.congestionWindowBytes()).isEqualTo(12 * CHUNK);
    }

    @Test
    @DisplayName("7.2.4: three SACKs that miss a chunk have it sent again, the window is halved")
    void fastRetransmit() {
        peer.send(200_000);
        assertThat(sentTsns()).hasSize(10);
        peer.sack(first - 1, WINDOW, 2, 2);
        peer.sack(first - 1, WINDOW, 2, 3);
        assertThat(sentTsns()).doesNotContain(0);
        peer.sack(first - 1, WINDOW, 2, 4);
        assertThat(sentTsns()).startsWith(0);
        assertThat(peer.association.congestionWindowBytes()).isEqualTo(5 * CHUNK);
        assertThat(peer.association.counters().fastRetransmits()).isEqualTo(1);

        // Not twice in the same window.
        peer.sack(first - 1, WINDOW, 2, 5);
        peer.sack(first - 1, WINDOW, 2, 6);
        peer.sack(first - 1, WINDOW, 2, 7);
        assertThat(sentTsns()).doesNotContain(0);
        assertThat(peer.association.congestionWindowBytes()).isEqualTo(5 * CHUNK);
    }

    @Test
    @DisplayName("7.2.3 and 6.3.3: T3 shrinks the window to one packet and doubles the timeout")
    void timeout() {
        peer.send(50_000);
        sentTsns();
        long sent = peer.now;
        peer.toDeadline();
        assertThat(peer.now - sent).isEqualTo(500 * MILLIS);
        assertThat(peer.association.congestionWindowBytes()).isEqualTo(CHUNK);
        assertThat(sentTsns()).containsExactly(0);
        sent = peer.now;
        peer.toDeadline();
        assertThat(peer.now - sent).isEqualTo(1_000 * MILLIS);
    }

    @Test
    @DisplayName("6.3.1: the first round trip sets the timeout")
    void roundTrip() {
        peer.send(10);
        sentTsns();
        peer.now += 300 * MILLIS;
        peer.sack(first, WINDOW);
        assertThat(peer.association.roundTripNanos()).isEqualTo(300 * MILLIS);
        peer.send(10);
        sentTsns();
        long sent = peer.now;
        // Heartbeats are far off: the next deadline is T3.
        peer.toDeadline();
        assertThat(peer.now - sent).isEqualTo((300 + 4 * 150) * MILLIS);
    }

    @Test
    @DisplayName("6.1 A: no more than the peer's window; one chunk probes a closed one")
    void peersWindow() {
        peer.send(50_000);
        sentTsns();
        peer.sack(first + 9, 2_500);
        assertThat(sentTsns()).hasSize(2);
        peer.sack(first + 11, 0);
        assertThat(sentTsns()).containsExactly(12);
        assertThat(sentTsns()).isEmpty();
        // The probe is dropped by the peer, many times over, which does not end the association.
        for (int i = 0; i < 40; i++) {
            List<Integer> sent = List.of();
            while (sent.isEmpty()) {
                peer.toDeadline();
                sent = sentTsns();
            }
            assertThat(sent).containsExactly(12);
            peer.sack(first + 11, 0);
            assertThat(sentTsns()).isEmpty();
        }
        // The window opens: the probe goes again at once, and more.
        peer.sack(first + 11, 10_000);
        assertThat(sentTsns()).contains(12);
        assertThat(peer.association.state()).isEqualTo(Association.State.ESTABLISHED);
    }

    @Test
    @DisplayName("6.2.1: an old SACK and one for what was never sent change nothing")
    void badSacks() {
        peer.send(50_000);
        sentTsns();
        peer.sack(first + 4, WINDOW);
        sentTsns();
        int flight = peer.association.flightBytes();
        peer.sack(first + 3, WINDOW);
        peer.sack(first + 100, WINDOW);
        peer.sack(first + 4, WINDOW, 2, 100);
        peer.sack(first + 4, WINDOW, 3, 2);
        peer.sack(first + 4, WINDOW, 0, 1);
        assertThat(peer.association.flightBytes()).isEqualTo(flight);
        SctpCounters counters = peer.association.counters();
        assertThat(counters.drops(SctpDrop.OLD_SACK)).isEqualTo(1);
        assertThat(counters.drops(SctpDrop.IMPOSSIBLE_SACK)).isEqualTo(4);
    }

    @Test
    @DisplayName("6.2.1: what the peer takes back is sent again")
    void reneging() {
        peer.send(8_000);
        sentTsns();
        peer.sack(first - 1, WINDOW, 2, 8);
        peer.sack(first, WINDOW);
        assertThat(sentTsns()).contains(1, 2, 3);
    }

    @Test
    void aFullBufferIsSaidAndNothingIsLost() {
        int accepted = 0;
        while (peer.send(10_000) == SendResult.ACCEPTED) {
            accepted++;
        }
        assertThat(accepted).isEqualTo(1_048_576 / 10_064);
        assertThat(peer.send(10_000)).isEqualTo(SendResult.BUFFER_FULL);
        int tsn = first;
        while (peer.association.bufferedBytes() > 0) {
            int count = sentTsns().size();
            tsn += count;
            peer.sack(tsn - 1, WINDOW);
        }
        assertThat(peer.send(10_000)).isEqualTo(SendResult.ACCEPTED);
        assertThat(types(peer.sent())).contains(0);
    }
}
