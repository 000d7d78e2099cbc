package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LegPlanTest {
    private static final String HEAD =
            """
            clusters:
              - {id: 1, name: own, region: a, latitude: 0, longitude: 0, relays: [
                  {public: 203.0.113.10:3478, legs: 10.1.0.4:3490}]}
              - {id: 2, name: other, region: b, latitude: 0, longitude: 90, relays: [
            """;
    private static final String FIRST =
            "{public: 203.0.113.20:3478, legs: 10.2.0.4:3490, workers: 2, weight: 100}";
    private static final String SECOND =
            "{public: 203.0.113.21:3478, legs: 10.2.0.5:3490, weight: 200}";

    @Test
    void sharesBucketsByWeightAndMovesOnlyThoseOfAGateThatGoes() {
        LegPlan both = plan(FIRST + ", " + SECOND);
        int cluster = both.find(2);
        assertThat(both.gates(cluster)).isEqualTo(3);
        long second = firstChoices(both).filter(gate -> gate == 2).count();
        assertThat(second / (double) LegPlan.BUCKETS).isCloseTo(0.5, within(0.1));

        LegPlan alone = plan(FIRST);
        for (int bucket = 0; bucket < LegPlan.BUCKETS; bucket++) {
            int before = both.gate(cluster, bucket, 0);
            int left = before == 2 ? both.gate(cluster, bucket, 1) : before;
            left = left == 2 ? both.gate(cluster, bucket, 2) : left;
            assertThat(alone.gate(0, bucket, 0)).isEqualTo(left);
        }
    }

    private static IntStream firstChoices(LegPlan plan) {
        return IntStream.range(0, LegPlan.BUCKETS).map(bucket -> plan.gate(0, bucket, 0));
    }

    private static LegPlan plan(String relays) {
        return TwoClusters.plan(HEAD + "      " + relays + "]}\n", 1);
    }

    @Test
    void knowsWhoServesWhichPublicAddress() {
        LegPlan plan = plan(FIRST + ", " + SECOND);
        Endpoint one = Endpoint.of("203.0.113.21", 3478);
        int index = plan.findPublic(one.high(), one.low(), one.port());
        assertThat(plan.gateOfPublic(index, 77)).isEqualTo(2);
        Endpoint own = Endpoint.of("203.0.113.10", 3478);
        assertThat(plan.findPublic(own.high(), own.low(), own.port())).isEqualTo(LegPlan.NONE);
        LegPlan anycast = plan(FIRST.replace("203.0.113.20", "203.0.113.10"));
        assertThat(anycast.findPublic(own.high(), own.low(), own.port())).isEqualTo(LegPlan.NONE);
    }
}
