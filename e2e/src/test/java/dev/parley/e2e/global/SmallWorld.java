package dev.parley.e2e.global;

import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.lab.LinkProfile;
import dev.parley.e2e.lab.World;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Three regions, each with a cluster of real processes and a place for a caller. Between the
 * clusters lies a clean backbone beside the public network, which jitters and loses. The second
 * cluster has two relays. Owned by one drill.
 */
final class SmallWorld implements AutoCloseable {
    static final int ROUTE_KEY_ID = 5;
    static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";

    /** The cluster with two relays. */
    static final Region HOME = Region.US;

    private static final String KEY = "ffeeddccbbaa99887766554433221100";
    private static final long SEED = 7;

    private final Path folder;
    private final World world;
    private final List<ChildProcess> started = new ArrayList<>();
    private final Map<Region, ChildProcess> relays = new EnumMap<>(Region.class);
    private final Map<Region, ChildProcess> signalings = new EnumMap<>(Region.class);
    private final Map<Region, String> states = new EnumMap<>(Region.class);
    private volatile boolean backboneCut;

    SmallWorld(Path folder) throws IOException {
        this.folder = folder;
        List<World.Place> places = new ArrayList<>();
        for (Region region : Region.values()) {
            states.put(region, "active");
            places.add(
                    new World.Place(
                            "edge-" + region.text(),
                            List.of(region.publicAddress(), region.backboneAddress())));
            places.add(new World.Place("caller-" + region.text(), List.of(region.callerAddress())));
        }
        world = World.start(places, this::road, SEED);
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        try {
            writeMap();
            for (Region region : Region.values()) {
                start(region);
            }
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    // --- the roads

    private LinkProfile road(String from, String to) {
        Region source = region(from);
        Region target = region(to);
        double oneWay = source.backboneRoundTrip(target) / 2.0;
        if (isBackbone(from) && isBackbone(to)) {
            return backboneCut ? LinkProfile.CUT : clean(oneWay);
        }
        return source == target
                ? clean(oneWay).loss(0.001)
                : LinkProfile.CLEAR
                        .delay(Math.round(oneWay * 1.2), Math.round(oneWay / 8))
                        .loss(0.01)
                        .bursts(0.001, 4);
    }

    private static LinkProfile clean(double oneWay) {
        return LinkProfile.CLEAR.delay(Math.round(oneWay), 0);
    }

    private static boolean isBackbone(String address) {
        return address.startsWith("198.19.");
    }

    private static Region region(String address) {
        int number = Integer.parseInt(address.split("\\.", -1)[2]);
        return Arrays.stream(Region.values())
                .filter(region -> region.number() == number)
                .findFirst()
                .orElseThrow();
    }

    /** Cuts the backbone between all clusters, or mends it. */
    void cutBackbone(boolean cut) {
        backboneCut = cut;
    }

    // --- the processes

    private void start(Region region) throws IOException {
        String edge = "edge-" + region.text();
        var _ = service(edge, "inference-stub", "grpc_address: 127.0.0.1:7400");
        var _ =
                service(
                        edge,
                        "transceiver",
                        """
                        media_address: 127.0.0.1:7200
                        control_address: 127.0.0.1:7300
                        relay_cidrs: [127.0.0.0/8]
                        cluster_id: %d
                        route_key_id: %d
                        route_keys: {%d: %s}
                        backends: {"*": "127.0.0.1:7400"}
                        """
                                .formatted(region.number(), ROUTE_KEY_ID, ROUTE_KEY_ID, ROUTE_KEY));
        relays.put(region, startRelay(region, 0));
        if (region == HOME) {
            var _ = startRelay(region, 1);
        }
        signalings.put(
                region,
                service(
                        edge,
                        "signaling",
                        """
                        http_address: %s:8080
                        auth: any
                        cluster_id: %d
                        cluster_map: %s
                        cluster_address: 0.0.0.0:8443
                        cluster_plaintext: true
                        transceivers: 127.0.0.1:7300
                        relay_addresses: %s:3478
                        call_id_key: %s
                        load_interval: 500ms
                        """
                                .formatted(
                                        region.publicAddress(),
                                        region.number(),
                                        map(),
                                        region.publicAddress(),
                                        KEY)));
    }

    /**
     * Starts a relay and waits until it is ready.
     *
     * @param number 0 for a cluster's first, 1 for its second
     */
    ChildProcess startRelay(Region region, int number) throws IOException {
        ChildProcess relay =
                service(
                        "edge-" + region.text(),
                        "relay",
                        """
                        public_addresses: %s:%d
                        upstream_address: 127.0.0.1:%d
                        health_address: 127.0.0.1:%d
                        leg_address: 0.0.0.0:%d
                        workers: 1
                        transceiver_cidrs: [127.0.0.0/8]
                        cluster_id: %d
                        cluster_map: %s
                        leg_keys: {1: %s}
                        leg_key_id: 1
                        route_keys: {%d: %s}
                        """
                                .formatted(
                                        region.publicAddress(),
                                        3478 + number,
                                        7100 + number,
                                        7110 + number,
                                        3490 + number,
                                        region.number(),
                                        map(),
                                        KEY,
                                        ROUTE_KEY_ID,
                                        ROUTE_KEY));
        if (number == 0) {
            relays.put(region, relay);
        }
        return relay;
    }

    private ChildProcess service(String place, String name, String yaml) throws IOException {
        Path file = folder.resolve(place + "-" + name + "-" + started.size() + ".yaml");
        Files.writeString(file, yaml.strip() + "\nadmin_address: off\n");
        ChildProcess process =
                ChildProcess.parley(world.in(place), name, "--config", file.toString());
        started.add(process);
        var _ = process.awaitReady();
        return process;
    }

    /** A region's relay, the first if there are two. */
    ChildProcess relay(Region region) {
        ChildProcess relay = relays.get(region);
        if (relay == null) {
            throw new IllegalStateException("not started");
        }
        return relay;
    }

    /** What relays and signaling have printed. */
    List<String> output() {
        return started.stream().flatMap(process -> process.output().stream()).toList();
    }

    /** Where a region's signaling is. */
    static URI signaling(Region region) {
        return URI.create("http://" + region.publicAddress() + ":8080");
    }

    // --- the map

    private Path map() {
        return folder.resolve("map.yaml");
    }

    /** Writes a cluster's state into the map. */
    void state(Region region, String state) throws IOException {
        states.put(region, state);
        writeMap();
    }

    private void writeMap() throws IOException {
        StringBuilder text = new StringBuilder("clusters:\n");
        for (Region region : Region.values()) {
            text.append(entry(region));
        }
        put(text.toString());
    }

    private String entry(Region region) {
        String relay = "      - {public: %s:%d, legs: [%s:%d, %s:%d], weight: %d}\n";
        String first = relay(relay, region, 0, 10_000);
        return """
          - id: %d
            name: %s
            region: %s
            latitude: %s
            longitude: %s
            state: %s
            signaling: http://%s:8443
            relays:
        %s"""
                .formatted(
                        region.number(),
                        region.text(),
                        region.text(),
                        region.latitude(),
                        region.longitude(),
                        states.get(region),
                        region.backboneAddress(),
                        region == HOME ? first + relay(relay, region, 1, 1) : first);
    }

    private static String relay(String format, Region region, int number, int weight) {
        return format.formatted(
                region.publicAddress(),
                3478 + number,
                region.backboneAddress(),
                3490 + number,
                region.publicAddress(),
                3490 + number,
                weight);
    }

    /** Puts something in the place of the map. */
    void put(String content) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh"), content);
        Files.move(fresh, map(), StandardCopyOption.ATOMIC_MOVE);
    }

    World world() {
        return world;
    }

    @Override
    public void close() {
        started.reversed().forEach(ChildProcess::close);
        started.clear();
        world.close();
    }
}
