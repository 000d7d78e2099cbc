package dev.parley.relay;

import java.util.Arrays;

/**
 * Which ways to other clusters' relays work. A way that is in use is asked several times within the
 * time after which it is given up, others seldom; what comes from a relay without being asked
 * speaks for its way too, though not for long, as it proves one direction alone. A way that nothing
 * is known of is taken for good. Owned by a worker; all is allocated when a plan is taken.
 */
final class LegHealth {
    /** Takes what is to be asked. */
    interface Asker {
        /** Asks over a way whether its relay is there; false when that has to wait for a turn. */
        boolean ask(int way, long nowNanos);
    }

    /** Asked so often within the time after which a way is given up. */
    private static final int ASKS_PER_TIMEOUT = 4;

    /** While only traffic speaks for a way, it is given up after so many times that time. */
    private static final int TRAFFIC_PATIENCE = 3;

    private static final long SELDOM_NANOS = 5_000_000_000L;

    /** Ways that are not in use are asked less often where there are very many. */
    private static final long SELDOM_NANOS_PER_WAY = 2_000_000L;

    private static final long GONE_NANOS = 1_000_000_000L;
    private static final long IN_USE_NANOS = 10_000_000_000L;

    /** Ways of a new plan are asked one after another, so that nobody is asked by all at once. */
    private static final long APART_NANOS = 10_000_000L;

    /** Ways that are looked at in one tick. */
    private static final int WAYS_PER_TICK = 4_096;

    private final long timeoutNanos;
    private final long oftenNanos;
    private LegPlan plan = LegPlan.EMPTY;
    private boolean[] lost = new boolean[0];
    private boolean[] waiting = new boolean[0];
    private long[] askedNanos = new long[0];
    private long[] heardNanos = new long[0];
    private long[] nextAskNanos = new long[0];
    private long[] usedNanos = new long[0];
    private int[] bestWay = new int[0];
    private boolean[] closed = new boolean[0];
    private long seldomNanos = SELDOM_NANOS;
    private int lostCount;
    private int hand;

    /**
     * No ways yet.
     *
     * @param timeoutNanos after which a way without an answer is given up
     */
    LegHealth(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
        this.oftenNanos = timeoutNanos / ASKS_PER_TIMEOUT;
    }

    /** Takes a new plan, keeping what is known of ways that are in both. */
    void take(LegPlan next, long nowNanos) {
        LegHealth before = new LegHealth(timeoutNanos);
        before.plan = plan;
        before.lost = lost;
        before.heardNanos = heardNanos;
        before.usedNanos = usedNanos;
        int ways = next.ways();
        plan = next;
        lost = new boolean[ways];
        waiting = new boolean[ways];
        askedNanos = filled(ways, nowNanos);
        heardNanos = filled(ways, nowNanos - timeoutNanos);
        usedNanos = filled(ways, nowNanos - IN_USE_NANOS - 1);
        nextAskNanos = filled(ways, nowNanos);
        seldomNanos = Math.max(SELDOM_NANOS, ways * SELDOM_NANOS_PER_WAY);
        lostCount = 0;
        hand = 0;
        for (int way = 0; way < ways; way++) {
            int old = before.plan.findWay(next.wayName(way));
            if (old != LegPlan.NONE) {
                lost[way] = before.lost[old];
                lostCount += lost[way] ? 1 : 0;
                heardNanos[way] = before.heardNanos[old];
                usedNanos[way] = before.usedNanos[old];
            }
            // What is in use, or was lost, is asked at once: answers to the plan before count no
            // more.
            if (!lost[way] && isQuiet(way, nowNanos)) {
                nextAskNanos[way] += way * APART_NANOS % seldomNanos;
            }
        }
        bestWay = new int[next.gates()];
        closed = new boolean[next.gates()];
        for (int gate = 0; gate < bestWay.length; gate++) {
            choose(gate);
        }
    }

    private static long[] filled(int length, long value) {
        long[] filled = new long[length];
        Arrays.fill(filled, value);
        return filled;
    }

    // The first way that works; the first of all when none does.
    private void choose(int gate) {
        int best = plan.firstWay(gate);
        int end = plan.firstWay(gate + 1);
        int way = best;
        while (way < end && lost[way]) {
            way++;
        }
        closed[gate] = way == end;
        bestWay[gate] = way == end ? best : way;
    }

    /** The best way to a gate. */
    int wayTo(int gate) {
        return bestWay[gate];
    }

    /** Whether no way to a gate works. */
    boolean isClosed(int gate) {
        return closed[gate];
    }

    /** A client's packet goes over a way. */
    void used(int way, long nowNanos) {
        if (isQuiet(way, nowNanos)) {
            nextAskNanos[way] = nowNanos;
        }
        usedNanos[way] = nowNanos;
    }

    /** A relay has sent something by itself; {@link LegPlan#NONE} for one that never answered. */
    void heard(int way, long nowNanos) {
        if (way != LegPlan.NONE) {
            heardNanos[way] = nowNanos;
        }
    }

    /** A relay has answered. */
    void answered(int way, long nowNanos) {
        heardNanos[way] = nowNanos;
        waiting[way] = false;
        rest(way, nowNanos);
        if (lost[way]) {
            lost[way] = false;
            lostCount--;
            choose(plan.gateOf(way));
        }
    }

    /** Gives up what has not answered, and asks what is due. */
    void tick(long nowNanos, Asker asker) {
        boolean room = true;
        for (int looks = Math.min(lost.length, WAYS_PER_TICK); looks > 0 && room; looks--) {
            hand = hand + 1 < lost.length ? hand + 1 : 0;
            room = plan.isClosed(plan.gateOf(hand)) || look(hand, nowNanos, asker);
        }
    }

    // False when it was due to be asked and there was no room: the next tick goes on with it.
    private boolean look(int way, long nowNanos, Asker asker) {
        if (!lost[way] && isOverdue(way, nowNanos)) {
            lost[way] = true;
            lostCount++;
            choose(plan.gateOf(way));
        }
        if (nextAskNanos[way] - nowNanos > 0 || ask(way, nowNanos, asker)) {
            return true;
        }
        hand = way == 0 ? lost.length - 1 : way - 1;
        return false;
    }

    private boolean isOverdue(int way, long nowNanos) {
        long waited = nowNanos - askedNanos[way];
        return waiting[way]
                && waited > timeoutNanos
                && (nowNanos - heardNanos[way] > timeoutNanos
                        || waited > TRAFFIC_PATIENCE * timeoutNanos);
    }

    private boolean ask(int way, long nowNanos, Asker asker) {
        if (!asker.ask(way, nowNanos)) {
            return false;
        }
        if (!waiting[way]) {
            waiting[way] = true;
            askedNanos[way] = nowNanos;
        }
        nextAskNanos[way] = nowNanos + (lost[way] ? Math.max(oftenNanos, GONE_NANOS) : oftenNanos);
        return true;
    }

    // Until it is answered a way is asked often, and so is one in use.
    private void rest(int way, long nowNanos) {
        nextAskNanos[way] = nowNanos + (isQuiet(way, nowNanos) ? seldomNanos : oftenNanos);
    }

    private boolean isQuiet(int way, long nowNanos) {
        return nowNanos - usedNanos[way] > IN_USE_NANOS;
    }

    /** Ways that do not work. */
    int lost() {
        return lostCount;
    }
}
