package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.lab.Lab;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real browser on a bad network; {@code ./parley drill netem} stays longer and does more. */
class LossyCallTest {
    /** Once around the sample (7.8 s) and its first sentence once more. */
    private static final double LISTEN_SECONDS = 10.7;

    /**
     * Every twentieth packet of each way is made up, so that windows of half a second fit less well
     * than on a clear line; what must not pass still stays below 0.1.
     */
    // Another voice scores below 0.15 (CorrelationTest). How far above it is, is the machine's: one
    // that stands still for a moment adds its own gaps to the network's.
    private static final double RECOGNIZABLE = 0.3;

    private static final long SEED = 20_261_130;

    @TempDir private Path folder;

    @Test
    void aCallOverABadNetworkSurvivesRebindingAndAnIceRestart() {
        Optional<String> obstacle = Lab.obstacle();
        Assumptions.assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
        try (LossyCall call = LossyCall.place(folder, LossyCall.BAD, SEED)) {
            call.stay(2);
            LossyCall.Rebinding rebinding = call.rebindPorts();
            LossyCall.Restart restart = call.restartIce();
            double from = call.heardSeconds();
            call.stay(LISTEN_SECONDS);
            LossyCall.Report report = call.finish();

            Correlation.Match match = report.match(SpeechSample.sentence(), from);
            System.out.printf(
                    "%s%nnew ports: %s%nICE restart: %s%nheard after both: %s%n",
                    report, rebinding, restart, match);
            assertThat(report.ended().states()).contains("connected").doesNotContain("failed");
            assertThat(report.ended().hangupStatus()).isEqualTo(200);
            assertThat(match.score()).isGreaterThan(RECOGNIZABLE);
            assertThat(report.upLost()).isPositive();
            assertThat(report.downLost()).isPositive();
        }
    }
}
