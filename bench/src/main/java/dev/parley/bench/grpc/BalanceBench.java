package dev.parley.bench.grpc;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * How evenly calls lie on the replicas of a backend, by who gets the next one: a seeded simulation
 * of an hour. Several transceivers balance on their own, each knows its own streams alone. After
 * half an hour a replica joins.
 */
final class BalanceBench {
    /** Who gets the next call. */
    private enum Policy {
        ROUND_ROBIN,
        RANDOM,
        LEAST_STREAMS
    }

    private static final int REPLICAS = 8;
    private static final int CALLS = 800;
    private static final double MEAN_SECONDS = 240;
    private static final double LENGTH_SECONDS = 3_600;
    private static final double JOIN_SECONDS = 1_800;
    private static final int SEEDS = 20;

    /** A stream that will end. */
    private record Stream(double ends, int transceiver, int replica) {}

    /**
     * What came of one run.
     *
     * @param worst most streams on one replica over their mean, in the run's worst hundredth
     * @param joined seconds until the new replica had 90 % of the mean
     */
    private record Result(double worst, double joined) {}

    private final Policy policy;
    private final int[][] streams;
    private final int[] turns;
    private final RandomGenerator random;
    private int replicas = REPLICAS;

    private BalanceBench(Policy policy, int transceivers, long seed) {
        this.policy = policy;
        this.streams = new int[transceivers][REPLICAS + 1];
        this.turns = new int[transceivers];
        this.random = new SplittableRandom(seed);
    }

    static void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%n%d calls at a time of %.0f s (exponential) on %d replicas, one more after %.0f"
                        + " s; means of %d seeds%n%n",
                CALLS,
                MEAN_SECONDS,
                REPLICAS,
                JOIN_SECONDS,
                SEEDS);
        out.println(
                "| transceivers | next call goes | busiest replica over the mean, p99 | seconds"
                        + " until a new replica has nine tenths of the mean |");
        out.println("| --- | --- | --- | --- |");
        for (int transceivers : new int[] {1, 10}) {
            for (Policy policy : Policy.values()) {
                double worst = 0;
                double joined = 0;
                for (int seed = 1; seed <= SEEDS; seed++) {
                    Result result = new BalanceBench(policy, transceivers, seed).run();
                    worst += result.worst() / SEEDS;
                    joined += result.joined() / SEEDS;
                }
                out.printf(
                        Locale.ROOT,
                        "| %d | %s | %.2f | %.0f |%n",
                        transceivers,
                        policy.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        worst,
                        joined);
            }
        }
    }

    private Result run() {
        PriorityQueue<Stream> live = new PriorityQueue<>(Comparator.comparingDouble(Stream::ends));
        double[] ratios = new double[(int) (CALLS / MEAN_SECONDS * LENGTH_SECONDS * 2)];
        int samples = 0;
        double joined = LENGTH_SECONDS - JOIN_SECONDS;
        double now = 0;
        while (now < LENGTH_SECONDS && samples < ratios.length) {
            now += exponential(MEAN_SECONDS / CALLS);
            if (now >= JOIN_SECONDS) {
                replicas = REPLICAS + 1;
            }
            while (!live.isEmpty() && live.element().ends() <= now) {
                Stream over = live.remove();
                streams[over.transceiver()][over.replica()]--;
            }
            int transceiver = random.nextInt(streams.length);
            int replica = pick(transceiver);
            streams[transceiver][replica]++;
            live.add(new Stream(now + exponential(MEAN_SECONDS), transceiver, replica));
            double mean = (double) live.size() / replicas;
            if (replicas == REPLICAS && now > 2 * MEAN_SECONDS) {
                ratios[samples++] = most() / mean;
            } else if (replicas > REPLICAS && load(REPLICAS) >= 0.9 * mean) {
                joined = Math.min(joined, now - JOIN_SECONDS);
            }
        }
        double[] sorted = Arrays.copyOf(ratios, samples);
        Arrays.sort(sorted);
        return new Result(sorted[(int) (samples * 0.99)], joined);
    }

    private double exponential(double mean) {
        return -mean * Math.log(1 - random.nextDouble());
    }

    private int pick(int transceiver) {
        int first = Math.floorMod(turns[transceiver]++, replicas);
        return switch (policy) {
            case ROUND_ROBIN -> first;
            case RANDOM -> random.nextInt(replicas);
            case LEAST_STREAMS -> least(streams[transceiver], first);
        };
    }

    private int least(int[] counts, int first) {
        int best = first;
        for (int i = 1; i < replicas; i++) {
            int each = (first + i) % replicas;
            best = counts[each] < counts[best] ? each : best;
        }
        return best;
    }

    private int load(int replica) {
        int sum = 0;
        for (int[] counts : streams) {
            sum += counts[replica];
        }
        return sum;
    }

    private int most() {
        int most = 0;
        for (int i = 0; i < replicas; i++) {
            most = Math.max(most, load(i));
        }
        return most;
    }
}
