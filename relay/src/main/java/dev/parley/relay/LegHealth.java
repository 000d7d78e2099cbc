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
        /** Asks over a way whether its relay is there. */
        void ask(int way, long nowNanos);
    }

    /** Asked so often within the time after which a way is given up. */
    private static final int ASKS_PER_TIMEOUT = 4;

    /** While only traffic speaks for a way, it is given up after so many times that time. */
    private static final int TRAFFIC_PATIENCE = 3;

    private static final long SELDOM_NANOS = 5_000_000_000L;
    private static final long GONE_NANOS = 1_000_000_000L;
    private static final long IN_USE_NANOS = 10_000_000_000L;

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
        before.waiting = waiting;
        before.askedNanos = askedNanos;
        before.heardNanos = heardNanos;
        before.usedNanos = usedNanos;
        int ways = next.ways();
        plan = next;
        lost = new boolean[ways];
        waiting = new boolean[ways];
        askedNanos = filled(ways, nowNanos);
        heardNanos = filled(ways, nowNanos - timeoutNanos);
        usedNanos = filled(ways, nowNanos - IN_USE_NANOS);
        nextAskNanos = filled(ways, nowNanos);
        for (int way = 0; way < ways; way++) {
            int old = before.plan.wayAt(next.high(way), next.low(way), next.port(way));
            if (old != LegPlan.NONE) {
                lost[way] = before.lost[old];
                waiting[way] = before.waiting[old];
                askedNanos[way] = before.askedNanos[old];
                heardNanos[way] = before.heardNanos[old];
                usedNanos[way] = before.usedNanos[old];
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
        if (nowNanos - usedNanos[way] > IN_USE_NANOS) {
            nextAskNanos[way] = nowNanos;
        }
        usedNanos[way] = nowNanos;
    }

    /** A relay has sent something by itself. */
    void heard(int way, long nowNanos) {
        if (way < heardNanos.length) {
            heardNanos[way] = nowNanos;
        }
    }

    /** A relay has answered; an answer to what an earlier plan asked may name no way any more. */
    void answered(int way, long nowNanos) {
        if (way >= lost.length) {
            return;
        }
        heardNanos[way] = nowNanos;
        waiting[way] = false;
        rest(way, nowNanos);
        if (lost[way]) {
            lost[way] = false;
            choose(plan.gateOf(way));
        }
    }

    /** Gives up what has not answered, and asks what is due. */
    void tick(long nowNanos, Asker asker) {
        for (int way = 0; way < lost.length; way++) {
            if (plan.isClosed(plan.gateOf(way))) {
                continue;
            }
            if (!lost[way] && isOverdue(way, nowNanos)) {
                lost[way] = true;
                choose(plan.gateOf(way));
            }
            if (nextAskNanos[way] - nowNanos <= 0) {
                ask(way, nowNanos, asker);
            }
        }
    }

    private boolean isOverdue(int way, long nowNanos) {
        long waited = nowNanos - askedNanos[way];
        return waiting[way]
                && waited > timeoutNanos
                && (nowNanos - heardNanos[way] > timeoutNanos
                        || waited > TRAFFIC_PATIENCE * timeoutNanos);
    }

    private void ask(int way, long nowNanos, Asker asker) {
        if (!waiting[way]) {
            waiting[way] = true;
            askedNanos[way] = nowNanos;
        }
        asker.ask(way, nowNanos);
        nextAskNanos[way] = nowNanos + (lost[way] ? Math.max(oftenNanos, GONE_NANOS) : oftenNanos);
    }

    // Until it is answered a way is asked often, and so is one in use.
    private void rest(int way, long nowNanos) {
        boolean quiet = nowNanos - usedNanos[way] > IN_USE_NANOS;
        nextAskNanos[way] = nowNanos + (quiet ? SELDOM_NANOS : oftenNanos);
    }

    /** Ways that do not work. */
    int lost() {
        int count = 0;
        for (boolean one : lost) {
            count += one ? 1 : 0;
        }
        return count;
    }
}
