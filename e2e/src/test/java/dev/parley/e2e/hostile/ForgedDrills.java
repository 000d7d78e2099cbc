package dev.parley.e2e.hostile;

import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.drill.RedisProcess;
import dev.parley.e2e.hostile.HostileSystem.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringTokenizer;

/**
 * Drills whose packets have forged sources indeed, tens of thousands of them, and come in fragments
 * if they are long; on a link that shows whether anything is sent to who never asked.
 */
final class ForgedDrills {
    private static final int PER_SECOND = 10_000;
    private static final int FRAGMENTED_PER_SECOND = 2_000;
    private static final String RELAY_DROPS = "relay_drops";

    private ForgedDrills() {}

    /** Everything at once. */
    static void forged(Path folder, DrillReport report) throws Exception {
        try (ForgedNetwork network = ForgedNetwork.start()) {
            run(HostileDrills.spoofed(flood(network, Floods.mixed())), "", network, folder, report);
        }
    }

    /**
     * Media of unknown sources at a relay that asks Redis for their flows: what costs it most of
     * all that strangers can send.
     *
     * @param mode what Redis does when it begins
     */
    static void store(Path folder, DrillReport report, FaultyProxy.Mode mode) throws Exception {
        try (ForgedNetwork network = ForgedNetwork.start();
                RedisProcess redis = RedisProcess.start(folder);
                FaultyProxy between =
                        new FaultyProxy(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), redis.port()))) {
            Attack media = flood(network, (floods, _, into) -> floods.media(into));
            Attack attack =
                    (target, going) -> {
                        between.mode(target.isNobody() ? FaultyProxy.Mode.PASS : mode);
                        media.run(target, going);
                    };
            String yaml =
                    "flow_store: redis\nredis_nodes: [\"127.0.0.1:%d\"]\n"
                            .formatted(between.port());
            run(
                    HostileDrill.flood(attack).counted(Service.RELAY, RELAY_DROPS),
                    yaml,
                    network,
                    folder,
                    report);
            report.atLeast("connections to Redis", between.taken(), "", 1);
        }
    }

    /** Datagrams in fragments: in order and not, twice, and without their end or beginning. */
    static void fragments(Path folder, DrillReport report) throws Exception {
        try (ForgedNetwork network = ForgedNetwork.start()) {
            Random random = new Random(1);
            Floods floods = new Floods();
            ByteBuffer payload = ByteBuffer.allocate(16_384);
            int[] incomplete = {0};
            Attack attack =
                    (target, going) -> {
                        long whole = reassembled();
                        Pace.hold(
                                FRAGMENTED_PER_SECOND,
                                going,
                                () -> {
                                    floods.noise(payload.clear(), 1_500 + random.nextInt(8_000));
                                    incomplete[0] +=
                                            fragmented(network, random, target, payload.flip());
                                },
                                () -> {});
                        HostileDrill.pause(Duration.ofMillis(100));
                        target.done().add(reassembled() - whole);
                    };
            run(
                    HostileDrill.flood(attack)
                            .counted(Service.RELAY, RELAY_DROPS + "|receive_truncated"),
                    "",
                    network,
                    folder,
                    report);
            report.tell("datagrams that never were whole", incomplete[0], "");
        }
    }

    /** Answers 1 when it can never be put together. */
    private static int fragmented(
            ForgedNetwork network, Random random, Target target, ByteBuffer payload)
            throws IOException {
        List<byte[]> packets =
                network.packets(
                        ForgedNetwork.forged(random.nextInt()),
                        1_024 + random.nextInt(60_000),
                        target.relay().getPort(),
                        payload);
        int kind = random.nextInt(6);
        switch (kind) {
            case 0 -> Collections.reverse(packets);
            case 1 -> packets.add(packets.getFirst());
            case 2 -> packets.removeLast();
            case 3 -> packets.removeFirst();
            default -> {
                // As they are.
            }
        }
        packets.forEach(network::write);
        return kind == 2 || kind == 3 ? 1 : 0;
    }

    // RFC 4293, ipReasmOKs: what the kernel has put together.
    private static long reassembled() throws IOException {
        List<StringTokenizer> ip =
                Files.readAllLines(Path.of("/proc/net/snmp")).stream()
                        .filter(line -> line.startsWith("Ip:"))
                        .map(StringTokenizer::new)
                        .toList();
        StringTokenizer values = ip.getLast();
        for (StringTokenizer names = ip.getFirst(); names.hasMoreTokens(); values.nextToken()) {
            if (names.nextToken().equals("ReasmOKs")) {
                return Long.parseLong(values.nextToken());
            }
        }
        throw new IOException("the kernel does not tell what it puts together");
    }

    private static Attack flood(ForgedNetwork network, Floods.Kind kind) {
        return (target, going) -> {
            Floods floods = new Floods();
            ByteBuffer datagram = ByteBuffer.allocate(2_048);
            Pace.hold(
                    PER_SECOND,
                    going,
                    () -> {
                        kind.write(floods, target, datagram.clear());
                        network.send(
                                ForgedNetwork.forged(floods.random.nextInt()),
                                1_024 + floods.random.nextInt(60_000),
                                target.relay().getPort(),
                                datagram.flip());
                        target.done().increment();
                    },
                    () -> {});
        };
    }

    private static void run(
            HostileDrill drill, String yaml, ForgedNetwork network, Path folder, DrillReport report)
            throws Exception {
        Map<Service, String> extra = yaml.isEmpty() ? Map.of() : Map.of(Service.RELAY, yaml);
        try (HostileSystem system = HostileSystem.start(folder, "", ForgedNetwork.ADDRESS, extra)) {
            drill.run(system, report);
        }
        report.atMost("bytes sent to forged sources", network.udpBytes(), "", 0);
        report.tell("ICMP messages of the kernel to them", network.icmpPackets(), "");
    }
}
