package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadResultsTest {
    private static final long MILLI = 1_000_000;

    private final Tally tally = new Tally();
    private final LoadResults results =
            new LoadResults(LoadOptions.of(Map.of()), tally, List.of(), null);

    @Test
    void takesReturnedPacketsForLossOnlyOfAnEcho() {
        tally.marked = 1_000;
        tally.sent = 1_000;
        tally.sentWithReports = 1_000;
        tally.lostUp = 500;
        tally.expectedDown = 1_000;
        tally.arrivedDown = 900;

        assertThat(results.lossUp()).isEqualTo(0.5);
        assertThat(results.lossRoundTrip()).isNaN();
        assertThat(results.lossAtFirst()).isNaN();
        assertThat(results.loss()).isEqualTo(0.3);
        assertThat(results.figures()).containsEntry("loss_basis", "sequence numbers and RTCP");

        tally.returned = 750;
        tally.markedAndReturned = 750;

        assertThat(results.loss()).isEqualTo(0.25);
        assertThat(results.figures()).containsEntry("loss_basis", "echo");
    }

    @Test
    void countsCallsThatAreStillOpenAtTheEndAsFailed() {
        tally.offered = 10;
        tally.connected = 6;
        tally.failed = 1;
        tally.error("ice_timeout");

        tally.closeOff();
        tally.closeOff();

        assertThat(results.figures()).containsEntry("offered", 10L).containsEntry("failed", 4L);
        assertThat(tally.errors)
                .containsOnly(Map.entry("ice_timeout", 1L), Map.entry("unanswered_at_the_end", 3L));
    }

    @Test
    void namesCallsWithoutAudio() {
        tally.withoutAudio = 3;

        assertThat(results.figures()).containsEntry("calls_without_audio", 3L);
    }

    @Test
    void trustsAGeneratorThatSentInTime() {
        late(1_000, 1);

        assertThat(results.isTrustworthy()).isTrue();

        tally.skipped = 1;

        assertThat(results.isTrustworthy()).isFalse();
    }

    @Test
    void trustsNoGeneratorThatSentNothing() {
        assertThat(results.isTrustworthy()).isFalse();
    }

    @Test
    void trustsNoGeneratorThatWasOftenLate() {
        late(1_000, 1);
        late(20, 8);

        assertThat(results.isTrustworthy()).isFalse();
    }

    @Test
    void trustsNoGeneratorThatStoodStillForAWhile() {
        late(1_000, 1);
        late(5, 60);

        assertThat(results.isTrustworthy()).isFalse();
    }

    @Test
    void trustsNoGeneratorWhoseOwnHandshakesTakeLong() {
        late(1_000, 1);
        Tally.record(tally.handshakeOwn, 5 * MILLI);

        assertThat(results.isTrustworthy()).isTrue();

        Tally.record(tally.handshakeOwn, 80 * MILLI);

        assertThat(results.isTrustworthy()).isFalse();
    }

    @Test
    void tellsOfTheTimeWithAllCallsAndUnderAnotherNameOfAll() {
        Tally steady = new Tally();
        steady.sent = steady.received = 10;
        Tally.record(steady.echo, 40 * MILLI);
        steady.gap(50 * MILLI);
        Tally.record(tally.echo, 4 * MILLI);
        tally.received = tally.returned = 10;
        tally.gap(900 * MILLI);
        LoadResults both =
                new LoadResults(LoadOptions.of(Map.of()), tally, steady, List.of(), null);

        assertThat(both.figures())
                .containsEntry("told_of", "all calls")
                .containsEntry("gap_ms_max", 50.0)
                .containsEntry("whole_gap_ms_max", 900.0);
        assertThat(Figures.millis(both.roundTrip(), 50)).isBetween(39.0, 41.0);
        assertThat(both.figures())
                .containsEntry("whole_rtt_ms_p50", Figures.millis(tally.echo, 50));
        assertThat(results.figures())
                .containsEntry("told_of", "whole run")
                .containsEntry("gap_ms_max", 900.0);
    }

    private void late(int packets, long millis) {
        for (int i = 0; i < packets; i++) {
            Tally.record(tally.lateness, millis * MILLI);
        }
    }
}
