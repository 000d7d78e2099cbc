package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.HostileSystem.Service;
import dev.parley.rtc.route.ClientHeader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** The drills in which somebody means ill, by name. */
public final class HostileDrills {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int ROGUE_CALLS = 16;
    private static final int ROGUE_PACKETS_A_TURN = 20;
    private static final int FLOW_TIMEOUT_SECONDS = 20;

    private HostileDrills() {}

    public static Map<String, Drill> all() {
        Map<String, Drill> drills = new LinkedHashMap<>();
        drills.put("hostile-stun", HostileDrill.unanswered(Floods.stun()));
        drills.put("hostile-tokens", HostileDrill.unanswered(Floods.tokens()));
        drills.put("hostile-ufrags", HostileDrill.unanswered(Floods.stolenUfrags()));
        drills.put("hostile-hellos", HostileDrill.unanswered(Floods.hellos()));
        drills.put("hostile-handshakes", HostileDrill.byACaller(CallerAttacks.stuckHandshakes()));
        drills.put("hostile-media", HostileDrill.unanswered(Floods.media()));
        drills.put("hostile-srtp", HostileDrill.byACaller(CallerAttacks.madeUpMedia()));
        drills.put("hostile-sctp", HostileDrill.byACaller(CallerAttacks.madeUpSctp()));
        drills.put("hostile-lengths", HostileDrill.unanswered(Floods.lengths()));
        drills.put("hostile-spoofed", HostileDrill.unanswered(Floods.all()));
        drills.put("hostile-upstream", HostileDrill.unanswered(Floods.upstream()));
        drills.put("hostile-offers", HostileDrill.byACaller(CallerAttacks.offers()));
        drills.put("hostile-slow-http", HostileDrill.byACaller(HttpAttacks.slow()));
        drills.put("hostile-connections", HostileDrill.byACaller(HttpAttacks.connections()));
        drills.put("hostile-collector", HostileDrills::collector);
        drills.put("hostile-backend", HostileDrills::backend);
        drills.put("hostile-transceiver", HostileDrills::transceiver);
        return drills;
    }

    /** A collector that takes connections and says nothing. */
    private static void collector(Path folder, DrillReport report) throws Exception {
        List<Socket> taken = new ArrayList<>();
        try (ServerSocket collector = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> takeAll(collector, taken));
            String yaml = "otlp_endpoint: http://127.0.0.1:" + collector.getLocalPort() + "\n";
            HostileDrill drill = HostileDrill.byACaller((_, going) -> whileGoing(going));
            for (Service service : Service.values()) {
                drill = drill.with(service, yaml);
            }
            drill.run(folder, report);
            synchronized (taken) {
                report.atLeast("connections to the collector", taken.size(), "", 1);
            }
        } finally {
            synchronized (taken) {
                for (Socket socket : taken) {
                    socket.close();
                }
            }
        }
    }

    private static void whileGoing(BooleanSupplier going) throws InterruptedException {
        while (going.getAsBoolean()) {
            HostileDrill.pause(Duration.ofMillis(100));
        }
    }

    private static void takeAll(ServerSocket collector, List<Socket> taken) {
        try {
            while (true) {
                Socket socket = collector.accept();
                synchronized (taken) {
                    taken.add(socket);
                }
            }
        } catch (IOException _) {
            // The drill is over.
        }
    }

    /** Calls to an inference service that has been taken over, beside those to a good one. */
    private static void backend(Path folder, DrillReport report) throws Exception {
        try (RogueBackend rogue = new RogueBackend();
                HostileSystem system = HostileSystem.start(folder, rogue.address(), Map.of())) {
            AtomicInteger refused = new AtomicInteger();
            HostileDrill.run(
                    system,
                    (target, going) -> {
                        List<Thread> calls = new ArrayList<>();
                        for (int i = 0; i < ROGUE_CALLS; i++) {
                            calls.add(
                                    Thread.ofPlatform()
                                            .start(() -> callRogue(target, going, refused)));
                        }
                        for (Thread call : calls) {
                            call.join();
                        }
                    },
                    true,
                    report);
            report.atLeast("calls that the rogue got", rogue.calls(), "", ROGUE_CALLS / 2.0);
            report.tell("calls to it that came to nothing", refused.get(), "");
        }
    }

    private static void callRogue(Target target, BooleanSupplier going, AtomicInteger refused) {
        while (going.getAsBoolean()) {
            try (BenchCall call = new BenchCall()) {
                call.connect(target.base(), "rogue", true, System.nanoTime() + PATIENCE_NANOS / 4);
                while (going.getAsBoolean()) {
                    call.turn();
                }
            } catch (IOException _) {
                refused.incrementAndGet();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /**
     * A transceiver that has been taken over sends to strangers through a relay that was just
     * started, and through one that was not.
     */
    private static void transceiver(Path folder, DrillReport report) throws Exception {
        Map<Service, String> extra =
                Map.of(Service.RELAY, "flow_timeout: " + FLOW_TIMEOUT_SECONDS + "s\n");
        try (HostileSystem system = HostileSystem.start(folder, "", extra);
                DatagramSocket stranger =
                        new DatagramSocket(0, InetAddress.ofLiteral("127.0.3.1"));
                DatagramSocket rogue = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
            AtomicLong bytes = new AtomicLong();
            Thread.ofVirtual().start(() -> count(stranger, bytes));
            long start = System.nanoTime();
            long sent = 0;
            while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1)) {
                sent += send(system, rogue, stranger);
            }
            report.tell("just started: packets of the rogue in a second", sent, "");
            report.tell("just started: bytes that a stranger got", bytes.get(), "");
            HostileDrill.pause(Duration.ofSeconds(FLOW_TIMEOUT_SECONDS + 1L));
            bytes.set(0);
            HostileDrill.run(
                    system,
                    (_, going) -> {
                        while (going.getAsBoolean()) {
                            for (int i = 0; i < ROGUE_PACKETS_A_TURN; i++) {
                                send(system, rogue, stranger);
                            }
                            HostileDrill.pause(Duration.ofMillis(1));
                        }
                    },
                    false,
                    report);
            report.atMost("later: bytes that a stranger got", bytes.get(), "", 0);
        }
    }

    private static void count(DatagramSocket stranger, AtomicLong bytes) {
        DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            while (true) {
                stranger.receive(packet);
                bytes.addAndGet(packet.getLength());
            }
        } catch (IOException _) {
            // The drill is over.
        }
    }

    private static int send(HostileSystem system, DatagramSocket rogue, DatagramSocket stranger)
            throws IOException {
        ByteBuffer packet = ByteBuffer.allocate(ClientHeader.LENGTH + 1_000);
        InetSocketAddress relay = system.relay();
        ClientHeader.write(
                packet,
                0,
                0,
                mapped(stranger.getLocalAddress()),
                stranger.getLocalPort(),
                0,
                mapped(relay.getAddress()),
                relay.getPort());
        packet.put(ClientHeader.LENGTH, (byte) 0x80);
        rogue.send(new DatagramPacket(packet.array(), packet.capacity(), system.relayUpstream()));
        return 1;
    }

    // IPv4 as IPv4-mapped: the low 8 bytes.
    private static long mapped(InetAddress address) {
        return 0xFFFFL << 32
                | Integer.toUnsignedLong(ByteBuffer.wrap(address.getAddress()).getInt());
    }
}
