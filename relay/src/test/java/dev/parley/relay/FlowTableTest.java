package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowTableTest {
    private static final long TIMEOUT = 1_000;

    private record Key(long high, long low, int port, int publicIndex) {}

    private static final FlowTable.Sweep SWEEP =
            new FlowTable.Sweep() {
                @Override
                public void alive(int slot, long nowNanos) {}

                @Override
                public void expired(int slot) {}
            };

    private static final class Flow {
        long seen;
        long session;
        int leadsTo;
    }

    /** A plain model of the table, compared with it call by call. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesLikeAPlainMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int maxFlows = 16 + random.nextInt(300);
        FlowTable table = new FlowTable(new SeededHash(random), maxFlows, TIMEOUT);
        Map<Key, Flow> model = new HashMap<>();
        long now = Long.MAX_VALUE - 50_000;
        for (int step = 0; step < 60_000; step++) {
            now += random.nextInt(12);
            Key key =
                    new Key(
                            random.nextInt(2),
                            random.nextInt(40),
                            random.nextInt(8),
                            random.nextInt(2));
            long expireBefore = now - TIMEOUT;
            model.values().removeIf(flow -> flow.seen - expireBefore < 0);
            Flow expected = model.get(key);
            int slot = find(table, key, now);
            assertThat(slot != FlowTable.NONE).isEqualTo(expected != null);
            if (expected != null) {
                assertThat(table.transceiverPort(slot)).isEqualTo(expected.leadsTo);
            }
            switch (random.nextInt(4)) {
                case 0 -> touch(table, slot, expected, now);
                case 1 -> insertOrMove(table, model, key, slot, expected, random, now);
                case 2 -> {
                    var _ = table.expire(now, random.nextInt(table.capacity()), SWEEP);
                }
                default -> {
                    // Only looks.
                }
            }
        }
        var _ = table.expire(now, table.capacity(), SWEEP);
        long end = now - TIMEOUT;
        model.values().removeIf(flow -> flow.seen - end < 0);
        assertThat(table.size()).isEqualTo(model.size());
    }

    private static void touch(FlowTable table, int slot, @Nullable Flow expected, long now) {
        if (expected != null) {
            table.touch(slot, now);
            expected.seen = now;
        }
    }

    private static void insertOrMove(
            FlowTable table,
            Map<Key, Flow> model,
            Key key,
            int slot,
            @Nullable Flow expected,
            SplittableRandom random,
            long now) {
        // The table holds what it has not swept yet; then its own bounds can be predicted.
        var _ = table.expire(now, table.capacity(), SWEEP);
        int fresh = find(table, key, now);
        long session = 1L + random.nextInt(30);
        int leadsTo = random.nextInt(60_000);
        long inSession = model.values().stream().filter(f -> f.session == session).count();
        boolean sessionHasRoom = inSession < FlowTable.MAX_ADDRESSES_PER_SESSION;
        if (expected == null) {
            assertThat(slot).isEqualTo(FlowTable.NONE);
            int added =
                    table.insert(
                            key.high, key.low, key.port, key.publicIndex, session, session, now);
            if (model.size() >= table.maxFlows()) {
                assertThat(added).isEqualTo(FlowTable.TABLE_FULL);
            } else if (!sessionHasRoom) {
                assertThat(added).isEqualTo(FlowTable.SESSION_FULL);
            } else {
                assertThat(added).isNotNegative();
                table.point(added, 1, 2, leadsTo, FlowTable.NO_LEG, 3);
                Flow flow = new Flow();
                flow.seen = now;
                flow.session = session;
                flow.leadsTo = leadsTo;
                model.put(key, flow);
            }
        } else {
            boolean same = expected.session == session;
            assertThat(table.assign(fresh, session, session)).isEqualTo(same || sessionHasRoom);
            if (same || sessionHasRoom) {
                expected.session = session;
                expected.leadsTo = leadsTo;
                table.point(fresh, 1, 2, leadsTo, FlowTable.NO_LEG, 3);
            }
        }
    }

    private static int find(FlowTable table, Key key, long now) {
        return table.find(key.high, key.low, key.port, key.publicIndex, now);
    }

    @Test
    void varyingTheUnvouchedPartOfASessionIdWinsNoFurtherAddresses() {
        FlowTable table = table(7, 1_000);
        for (int i = 0; i < FlowTable.MAX_ADDRESSES_PER_SESSION; i++) {
            assertThat(table.insert(0, i, 1, 0, 5, (6L << 32) | i, 0)).isNotNegative();
        }
        assertThat(table.insert(0, 99, 1, 0, 5, (6L << 32) | 99, 0))
                .isEqualTo(FlowTable.SESSION_FULL);
        assertThat(table.insert(0, 99, 1, 0, 5, 7L << 32, 0)).isNotNegative();
    }

    @Test
    void aFullSessionMayStillRenewItsOwnFlows() {
        FlowTable table = table(7, 1_000);
        int slot = FlowTable.NONE;
        for (int i = 0; i < FlowTable.MAX_ADDRESSES_PER_SESSION; i++) {
            slot = table.insert(0, i, 1, 0, 5, 6L << 32, 0);
        }
        assertThat(table.assign(slot, 5, (6L << 32) | 1)).isTrue();
        assertThat(table.assign(slot, 6, 6L << 32)).isTrue();
        assertThat(table.assign(slot, 5, 6L << 32)).as("its place is free again").isTrue();
    }

    @Test
    void anExpiredFlowGivesItsSessionsPlaceBack() {
        FlowTable table = table(7, 1_000);
        for (int i = 0; i < FlowTable.MAX_ADDRESSES_PER_SESSION; i++) {
            assertThat(table.insert(0, i, 1, 0, 5, 6, 0)).isNotNegative();
        }
        assertThat(table.expire(TIMEOUT + 1, table.capacity(), SWEEP)).isEqualTo(16);
        assertThat(table.insert(0, 0, 1, 0, 5, 6, TIMEOUT + 1)).isNotNegative();
    }

    /** Keys that fill one cluster under a known seed spread evenly under another. */
    @Test
    void keysThatCollideUnderOneSeedDoNotUnderAnother() {
        int maxFlows = 1_000;
        SeededHash known = new SeededHash(new SplittableRandom(1));
        int mask = FlowTable.capacityFor(maxFlows) - 1;
        List<Long> colliding = new ArrayList<>();
        for (long low = 0; colliding.size() < 2 * FlowTable.MAX_PROBES; low++) {
            // Port 1 at public address 0.
            if ((known.of(0, low, (1L << 63) | (1L << 16)) & mask) == 5) {
                colliding.add(low);
            }
        }
        assertThat(inserted(new FlowTable(known, maxFlows, TIMEOUT), colliding))
                .as("the probe bound holds even against someone who knows the seed")
                .isEqualTo(FlowTable.MAX_PROBES);
        assertThat(inserted(table(2, maxFlows), colliding)).isEqualTo(colliding.size());
    }

    private static int inserted(FlowTable table, List<Long> lows) {
        int inserted = 0;
        for (long low : lows) {
            if (table.insert(0, low, 1, 0, 0, 0, 0) >= 0) {
                inserted++;
            }
        }
        return inserted;
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 65_535, 65_536, 100_000})
    void takesAllItsFlowsWithinTheProbeBound(int maxFlows) {
        FlowTable table = table(3, maxFlows);
        // The worst that addresses do by themselves: consecutive ports of few hosts.
        for (int i = 0; i < maxFlows; i++) {
            long low = 0xFFFF_C633_6400L | (i >>> 12);
            assertThat(table.insert(0, low, i & 0xFFF, 0, i + 1L, i + 1L, 0)).isNotNegative();
        }
        assertThat(table.insert(9, 9, 9, 0, 9, 9, 0)).isEqualTo(FlowTable.TABLE_FULL);
        assertThat(table.size()).isEqualTo(maxFlows);
    }

    private static FlowTable table(long seed, int maxFlows) {
        return new FlowTable(new SeededHash(new SplittableRandom(seed)), maxFlows, TIMEOUT);
    }
}
