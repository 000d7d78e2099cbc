package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LegHealthTest {
    private static final long TICK = Duration.ofMillis(10).toNanos();
    private static final int ROOM = 64;

    private final LegHealth health = new LegHealth(Duration.ofMillis(700).toNanos());
    private final List<Integer> asked = new ArrayList<>();
    private final Map<Integer, Long> answers = new HashMap<>();
    private long now = -5;

    private static LegPlan plan(int clusters, int relays) {
        StringBuilder map = new StringBuilder("clusters:\n");
        for (int id = 1; id <= clusters; id++) {
            map.append("  - {id: %d, name: c%d, region: r, ".formatted(id, id));
            map.append("latitude: 0, longitude: 0, relays: [");
            for (int relay = 0; relay < relays; relay++) {
                map.append(
                        "{public: '203.0.113.1:3478', legs: '10.%d.%d.%d:3490'},"
                                .formatted(id, relay / 200, relay % 200));
            }
            map.append("]}\n");
        }
        return TwoClusters.plan(map.toString(), 1);
    }

    private boolean ask(int way) {
        if (asked.size() == ROOM) {
            return false;
        }
        asked.add(way);
        return true;
    }

    /** One tick, after which whoever was asked answers. */
    private void tick() {
        now += TICK;
        asked.clear();
        health.tick(now, (way, _) -> ask(way));
        for (int way : asked) {
            answers.merge(way, 1L, Long::sum);
            health.answered(way, now);
        }
    }

    @Test
    void moreWaysThanFitIntoATickAreAllAskedAndNoneIsLost() {
        LegPlan plan = plan(6, 250);
        health.take(plan, now);
        for (int way = 0; way < plan.ways(); way++) {
            health.used(way, now);
        }
        for (int tick = 0; tick < 500; tick++) {
            tick();
            assertThat(health.lost()).isZero();
        }
        assertThat(answers).hasSize(plan.ways());
    }

    @Test
    void unusedWaysOfANewPlanAreAskedOneAfterAnother() {
        LegPlan plan = plan(3, 100);
        health.take(plan, now);
        int most = 0;
        for (int tick = 0; tick < 450; tick++) {
            tick();
            most = Math.max(most, asked.size());
        }
        assertThat(most).isLessThan(5);
        assertThat(answers).hasSize(plan.ways());
        assertThat(answers.values()).allMatch(times -> times <= 2);
    }

    @Test
    void aWayInUseIsAskedAtOnceByANewPlanAndAnswersBeforeItIsGivenUp() {
        health.take(plan(2, 10), now);
        health.used(9, now);
        now += TICK;
        health.tick(now, (way, _) -> ask(way));
        assertThat(asked).contains(9);
        asked.clear();
        // Its answer is to a plan that is no more.
        health.take(plan(2, 10), now);
        now += TICK;
        health.tick(now, (way, _) -> ask(way));
        assertThat(asked).contains(9);
    }
}
