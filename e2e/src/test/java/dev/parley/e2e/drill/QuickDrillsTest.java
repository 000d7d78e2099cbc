package dev.parley.e2e.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.hostile.HostileDrills;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The short drills, for what must happen and not for how fast: bounds on times are for {@code
 * ./parley drill} on a machine that does nothing else.
 */
class QuickDrillsTest {
    @TempDir private Path folder;

    @Test
    void aKilledRelayIsReplacedWithRedis() throws Exception {
        assertHolds(RelayKill.withRedis(1));
    }

    @Test
    void aKilledRelayIsReplacedWithoutRedis() throws Exception {
        assertHolds(RelayKill.withDownstream(1));
    }

    @Test
    void aRelayIsReplacedByTheNextWithoutLosingAPacket() throws Exception {
        assertHolds(new RelayRolling(500, 1));
    }

    @Test
    void callsDoNotNoticeWhatHappensToRedis() throws Exception {
        assertHolds(new RedisOutage(Duration.ofSeconds(2), false));
    }

    @Test
    void aCallGoesOnWithAnotherInferenceProcess() throws Exception {
        assertHolds(new InferenceKill());
    }

    @Test
    void callsGoOnWhileForgedDatagramsFloodAndAreCounted() throws Exception {
        assertHolds(HostileDrills.quick());
    }

    private void assertHolds(Drill drill) throws Exception {
        DrillReport report = DrillReport.unhurried("quick");
        drill.run(folder, report);
        assertThat(report.missed()).isEmpty();
        assertThat(report.passed()).isTrue();
    }
}
