package dev.parley.relay;

import dev.parley.runtime.cluster.Cluster;
import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.cluster.ClusterRelay;
import dev.parley.runtime.udp.IpAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The cluster map as packet loops want it: numbers in arrays. Made apart from the loops, immutable,
 * shared by all workers. A <i>gate</i> is one worker of another cluster's relay, a <i>way</i> one
 * of the addresses where it is reached.
 */
final class LegPlan {
    static final int NONE = -1;

    /** Each client falls into one of so many buckets, each of which prefers gates in its order. */
    static final int BUCKETS = 256;

    private static final int MAX_CLUSTER_ID = 65_535;

    /** No other cluster. */
    static final LegPlan EMPTY = new LegPlan(List.of());

    /** What relays of one public address are reached by. */
    private record Served(long high, long low, int port, List<Integer> gates) {}

    private final int[] clusterIds;
    private final boolean[] down;
    private final int[][] orders;
    private final int[] gateCluster;
    private final int[] firstWay;
    private final long[] wayHighs;
    private final long[] wayLows;
    private final int[] wayPorts;
    private final int[] wayGates;
    private final long[] publicHighs;
    private final long[] publicLows;
    private final int[] publicPorts;
    private final int[][] publicGates;
    private final int[] wayNames;
    // Name and number of each way, in the order of names.
    private final long[] waysByName;
    // By id, plus one; 0 for one that is not there.
    private final short[] indexOfCluster = new short[MAX_CLUSTER_ID + 1];

    private LegPlan(List<Cluster> others) {
        int count = others.size();
        clusterIds = others.stream().mapToInt(Cluster::id).toArray();
        down = new boolean[count];
        orders = new int[count][];
        List<Integer> clusterOfGate = new ArrayList<>();
        List<List<InetSocketAddress>> addresses = new ArrayList<>();
        Map<InetSocketAddress, Served> served = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Cluster cluster = others.get(i);
            indexOfCluster[cluster.id()] = (short) (i + 1);
            down[i] = cluster.state() == Cluster.State.DOWN;
            List<Integer> gates = new ArrayList<>();
            List<Integer> weights = new ArrayList<>();
            for (ClusterRelay relay : cluster.relays()) {
                for (int worker = 0; worker < relay.workers(); worker++) {
                    int gate = addresses.size();
                    addresses.add(relay.legsOf(worker));
                    clusterOfGate.add(i);
                    gates.add(gate);
                    weights.add(relay.weight());
                    relay.publicAddresses().forEach(used -> serve(served, used, gate));
                }
            }
            orders[i] = order(gates, weights, addresses);
        }
        gateCluster = clusterOfGate.stream().mapToInt(Integer::intValue).toArray();
        firstWay = new int[addresses.size() + 1];
        for (int gate = 0; gate < addresses.size(); gate++) {
            firstWay[gate + 1] = firstWay[gate] + addresses.get(gate).size();
        }
        List<InetSocketAddress> all = addresses.stream().flatMap(List::stream).toList();
        wayHighs = all.stream().mapToLong(way -> IpAddress.high(way.getAddress())).toArray();
        wayLows = all.stream().mapToLong(way -> IpAddress.low(way.getAddress())).toArray();
        wayPorts = all.stream().mapToInt(InetSocketAddress::getPort).toArray();
        wayGates = new int[all.size()];
        for (int gate = 0; gate < addresses.size(); gate++) {
            Arrays.fill(wayGates, firstWay[gate], firstWay[gate + 1], gate);
        }
        wayNames = all.stream().mapToInt(LegPlan::name).toArray();
        waysByName =
                IntStream.range(0, wayNames.length)
                        .mapToLong(way -> entry(wayNames[way], way))
                        .sorted()
                        .toArray();
        List<Served> publics = List.copyOf(served.values());
        publicHighs = publics.stream().mapToLong(Served::high).toArray();
        publicLows = publics.stream().mapToLong(Served::low).toArray();
        publicPorts = publics.stream().mapToInt(Served::port).toArray();
        publicGates =
                publics.stream()
                        .map(one -> one.gates().stream().mapToInt(Integer::intValue).toArray())
                        .toArray(int[][]::new);
    }

    private static void serve(
            Map<InetSocketAddress, Served> served, InetSocketAddress used, int gate) {
        served.computeIfAbsent(
                        used,
                        _ ->
                                new Served(
                                        IpAddress.high(used.getAddress()),
                                        IpAddress.low(used.getAddress()),
                                        used.getPort(),
                                        new ArrayList<>()))
                .gates()
                .add(gate);
    }

    /**
     * What a relay of one cluster needs of the map: the other clusters. An address that its own
     * relays serve too is theirs (anycast).
     */
    static LegPlan of(ClusterMap map, int ownCluster) {
        List<Cluster> others =
                map.clusters().stream().filter(cluster -> cluster.id() != ownCluster).toList();
        List<InetSocketAddress> own =
                map.find(ownCluster).stream()
                        .flatMap(cluster -> cluster.relays().stream())
                        .flatMap(relay -> relay.publicAddresses().stream())
                        .toList();
        return new LegPlan(others.stream().map(cluster -> without(cluster, own)).toList());
    }

    private static Cluster without(Cluster cluster, List<InetSocketAddress> own) {
        return new Cluster(
                cluster.id(),
                cluster.name(),
                cluster.region(),
                cluster.location(),
                cluster.state(),
                cluster.weight(),
                cluster.signaling(),
                cluster.relays().stream()
                        .map(
                                relay ->
                                        new ClusterRelay(
                                                relay.publicAddresses().stream()
                                                        .filter(used -> !own.contains(used))
                                                        .toList(),
                                                relay.legs(),
                                                relay.workers(),
                                                relay.weight()))
                        .toList());
    }

    /**
     * For each bucket all gates, the preferred first: weighted rendezvous hashing, so a gate that
     * goes or comes moves only the buckets that it has.
     */
    private static int[] order(
            List<Integer> gates, List<Integer> weights, List<List<InetSocketAddress>> addresses) {
        int[] order = new int[BUCKETS * gates.size()];
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            double[] scores = new double[gates.size()];
            for (int i = 0; i < scores.length; i++) {
                InetSocketAddress name = addresses.get(gates.get(i)).getFirst();
                scores[i] = weights.get(i) / -Math.log(share(name, bucket));
            }
            int at = bucket * gates.size();
            int[] sorted =
                    IntStream.range(0, scores.length)
                            .boxed()
                            .sorted(Comparator.comparingDouble(i -> -scores[i]))
                            .mapToInt(gates::get)
                            .toArray();
            System.arraycopy(sorted, 0, order, at, sorted.length);
        }
        return order;
    }

    /** A number between 0 and 1, the same in every relay. */
    private static double share(InetSocketAddress name, int bucket) {
        long mixed =
                mix(
                        mix(IpAddress.high(name.getAddress()))
                                ^ mix(IpAddress.low(name.getAddress()) + 1)
                                ^ mix((long) name.getPort() << 32 | bucket));
        return ((mixed >>> 11) + 0.5) / (1L << 53);
    }

    // The finalizer of SplitMix64.
    private static long mix(long value) {
        long mixed = value + 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Index of a cluster, or {@link #NONE}. */
    int find(int clusterId) {
        return indexOfCluster[clusterId] - 1;
    }

    boolean isDown(int cluster) {
        return down[cluster];
    }

    /** Gates of a cluster. */
    int gates(int cluster) {
        return orders[cluster].length / BUCKETS;
    }

    /** A cluster's gate by a bucket's preference, 0 for the first. */
    int gate(int cluster, int bucket, int preference) {
        return orders[cluster][bucket * gates(cluster) + preference];
    }

    /** Gates of all clusters. */
    int gates() {
        return gateCluster.length;
    }

    /** Id of the cluster that a gate belongs to. */
    int clusterIdOf(int gate) {
        return clusterIds[gateCluster[gate]];
    }

    /** Whether the cluster of a gate is down. */
    boolean isClosed(int gate) {
        return down[gateCluster[gate]];
    }

    int firstWay(int gate) {
        return firstWay[gate];
    }

    /** Ways of all gates. */
    int ways() {
        return wayPorts.length;
    }

    int gateOf(int way) {
        return wayGates[way];
    }

    long high(int way) {
        return wayHighs[way];
    }

    long low(int way) {
        return wayLows[way];
    }

    int port(int way) {
        return wayPorts[way];
    }

    /** A gate's name, which is that of its first way. */
    int gateName(int gate) {
        return wayNames[firstWay[gate]];
    }

    int wayName(int way) {
        return wayNames[way];
    }

    /** The way of a name, or {@link #NONE}. */
    int findWay(int name) {
        int found = Arrays.binarySearch(waysByName, entry(name, 0));
        int at = found < 0 ? -found - 1 : found;
        return at < waysByName.length && (int) (waysByName[at] >> 32) == name
                ? (int) waysByName[at]
                : NONE;
    }

    private static long entry(int name, int way) {
        return (long) name << 32 | way;
    }

    /** The gate of a cluster that has a way of this name, or {@link #NONE}. */
    int findGate(int clusterId, int name) {
        int way = findWay(name);
        return way == NONE || clusterIdOf(wayGates[way]) != clusterId ? NONE : wayGates[way];
    }

    boolean isAt(int way, long high, long low, int port) {
        return wayLows[way] == low && wayPorts[way] == port && wayHighs[way] == high;
    }

    /** Which of a gate's ways an address is, or {@link #NONE}. */
    int wayOfGate(int gate, long high, long low, int port) {
        for (int way = firstWay[gate]; way < firstWay[gate + 1]; way++) {
            if (isAt(way, high, low, port)) {
                return way;
            }
        }
        return NONE;
    }

    /** The name of a way by its address: the same in every relay, and never 0. */
    static int name(InetSocketAddress way) {
        long mixed =
                mix(
                        mix(IpAddress.high(way.getAddress()))
                                ^ mix(IpAddress.low(way.getAddress()) + 1)
                                ^ mix(way.getPort() + 2L));
        return (int) (mixed >>> 32) | 1;
    }

    /** Index of a public address that other clusters' relays serve, or {@link #NONE}. */
    int findPublic(long high, long low, int port) {
        for (int i = 0; i < publicPorts.length; i++) {
            if (publicLows[i] == low && publicPorts[i] == port && publicHighs[i] == high) {
                return i;
            }
        }
        return NONE;
    }

    /** Gates of relays that serve a public address, by its index. */
    int gatesOfPublic(int index) {
        return publicGates[index].length;
    }

    /** One of these gates. */
    int gateOfPublic(int index, int bucket) {
        return publicGates[index][bucket % publicGates[index].length];
    }
}
