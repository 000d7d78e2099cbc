package dev.parley.e2e.hostile;

import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.HostileSystem.Service;
import dev.parley.e2e.telemetry.OtlpReceiver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The drills in which somebody means ill, by name. */
public final class HostileDrills {
    private static final String RELAY_DROPS = "relay_drops";
    // Where a stolen ufrag has led, what follows it from the same address is of no known peer.
    private static final String ICE_DROPS = "transceiver_drops.*\"(ice_|unknown_peer)";
    private static final String NO_FLOW = "media_without_flow";

    private static final String CALLS = "signaling_(calls.*created|errors)";

    private HostileDrills() {}

    /** Each by its name, and all of them one after another. */
    public static Map<String, Drill> all() {
        Map<String, Drill> drills = each();
        drills.put("hostile", new AllHostile(each()));
        return drills;
    }

    /** One for seconds only: much of everything. */
    public static Drill quick() {
        return spoofed(Floods.all()).quick();
    }

    private static Map<String, Drill> each() {
        Map<String, Drill> drills = new LinkedHashMap<>();
        floods(drills);
        callers(drills);
        http(drills);
        forged(drills, "hostile-forged", ForgedDrills::forged);
        forged(drills, "hostile-fragments", ForgedDrills::fragments);
        forged(drills, "hostile-store", store(FaultyProxy.Mode.PASS));
        forged(drills, "hostile-store-slow", store(FaultyProxy.Mode.SLOW));
        forged(drills, "hostile-store-gone", store(FaultyProxy.Mode.RESET));
        drills.put("hostile-collector", HostileDrills::collector);
        drills.put("hostile-backend", RogueBackend::drill);
        drills.put("hostile-transceiver", RogueTransceiver::strangers);
        drills.put("hostile-other-calls", RogueTransceiver::callsOfOthers);
        return drills;
    }

    private static void forged(Map<String, Drill> drills, String name, Drill drill) {
        drills.put(name, new InNamespace(name, drill));
    }

    private static Drill store(FaultyProxy.Mode mode) {
        return (folder, report) -> ForgedDrills.store(folder, report, mode);
    }

    private static void floods(Map<String, Drill> drills) {
        drills.put("hostile-stun", spoofed(Floods.stun()));
        drills.put("hostile-tokens", relay(Floods.tokens(), "relay_drops.*\"token_"));
        drills.put(
                "hostile-ufrags",
                HostileDrill.flood(Floods.stolenUfrags()).counted(Service.TRANSCEIVER, ICE_DROPS));
        drills.put("hostile-hellos", relay(Floods.hellos(), NO_FLOW));
        drills.put("hostile-media", relay(Floods.media(), NO_FLOW));
        drills.put("hostile-lengths", relay(Floods.lengths(), RELAY_DROPS + "|receive_truncated"));
        drills.put("hostile-spoofed", spoofed(Floods.all()));
        drills.put("hostile-upstream", relay(Floods.upstream(), "down_outside_ranges"));
    }

    private static HostileDrill relay(Attack flood, String counters) {
        return HostileDrill.flood(flood).counted(Service.RELAY, counters);
    }

    /** Some of which has a ufrag that leads on to a transceiver. */
    static HostileDrill spoofed(Attack flood) {
        return relay(flood, RELAY_DROPS).counted(Service.TRANSCEIVER, ICE_DROPS);
    }

    private static void callers(Map<String, Drill> drills) {
        drills.put(
                "hostile-handshakes",
                HostileDrill.answered(CallerAttacks.stuckHandshakes())
                        .counted(Service.SIGNALING, CALLS));
        drills.put(
                "hostile-valid-hellos",
                HostileDrill.answered(ValidHellos.attack()).counted(Service.SIGNALING, CALLS));
        drills.put(
                "hostile-srtp",
                HostileDrill.answered(CallerAttacks.madeUpMedia())
                        .counted(Service.TRANSCEIVER, "transceiver_drops.*\"srtp_"));
        drills.put(
                "hostile-sctp",
                HostileDrill.answered(CallerAttacks.madeUpSctp())
                        .counted(Service.TRANSCEIVER, "transceiver_drops.*\"sctp_"));
        drills.put(
                "hostile-sctp-forged",
                HostileDrill.answered(ForgedSctp.attack())
                        .counted(Service.TRANSCEIVER, "transceiver_drops.*\"(sctp_|channel_)"));
        drills.put(
                "hostile-own-media",
                HostileDrill.answered(OwnAddress.media())
                        .counted(Service.TRANSCEIVER, "transceiver_drops.*\"srtp_")
                        .counted(Service.RELAY, RELAY_DROPS));
        drills.put(
                "hostile-own-stun",
                HostileDrill.answered(OwnAddress.stun()).counted(Service.TRANSCEIVER, ICE_DROPS));
        drills.put(
                "hostile-own-dtls",
                HostileDrill.answered(OwnAddress.dtls())
                        .counted(Service.TRANSCEIVER, "transceiver_drops.*\"dtls_"));
        drills.put(
                "hostile-offers",
                HostileDrill.answered(CallerAttacks.offers()).counted(Service.SIGNALING, CALLS));
    }

    private static void http(Map<String, Drill> drills) {
        drills.put("hostile-slow-http", HostileDrills::slowHttp);
        drills.put("hostile-websockets", HostileDrills::webSockets);
        drills.put(
                "hostile-connections",
                HostileDrill.answered(HttpAttacks.connections())
                        .counted(Service.SIGNALING, "signaling_errors"));
    }

    /** What they may take is short here, so that all of it is seen. */
    private static void slowHttp(Path folder, DrillReport report) throws Exception {
        SlowClients clients = new SlowClients();
        // Nobody may take longer than who does not read his answer: 5 s, by a clock that is looked
        // at
        // each 750 ms. All of it, and what it takes to notice, is shorter than the attack.
        double patience = 5_000 + 750;
        HostileDrill.answered(clients)
                .with(
                        Service.SIGNALING,
                        """
                        receive_timeout: 1500ms
                        create_timeout: 1s
                        control_timeout: 1s
                        idle_timeout: 1500ms
                        """)
                .run(folder, report);
        report.tell("connections held at a time, most", clients.mostOpen(), "");
        report.tell("connections opened", clients.opened(), "");
        report.atLeast("connections that were closed on them", clients.closed(), "", 1_000);
        double[] longest = clients.longestMillis();
        report.tell("slow request lines, the longest was open for", longest[0], "ms");
        report.tell("slow heads, the longest was open for", longest[1], "ms");
        report.tell("slow bodies, the longest was open for", longest[2], "ms");
        report.within(
                "the longest was open for",
                Arrays.stream(longest).max().orElseThrow(),
                "ms",
                patience + SlowClients.NOTICE_MILLIS + 500);
    }

    private static void webSockets(Path folder, DrillReport report) throws Exception {
        WebSocketFlood flood = new WebSocketFlood();
        HostileDrill.answered(flood)
                .with(Service.SIGNALING, "idle_timeout: 1500ms\n")
                .counted(Service.SIGNALING, "signaling_websockets_total")
                .run(folder, report);
        report.atLeast("half-closed connections, ended", flood.stoppedSending(), "", 1);
    }

    /** A collector that goes wrong while calls go on, in one way after another. */
    private static void collector(Path folder, DrillReport report) throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.overGrpc();
                FaultyProxy collector = new FaultyProxy(addressOf(receiver))) {
            HostileDrill drill =
                    HostileDrill.answered(
                            (_, going) -> {
                                long turn = 0;
                                FaultyProxy.Mode[] modes = FaultyProxy.Mode.values();
                                while (going.getAsBoolean()) {
                                    // All but the first.
                                    collector.mode(modes[(int) (1 + turn++ % (modes.length - 1))]);
                                    pauseWhile(going, Duration.ofSeconds(3));
                                }
                                collector.mode(FaultyProxy.Mode.PASS);
                            });
            for (Service service : Service.values()) {
                drill =
                        drill.with(
                                service,
                                "otlp_endpoint: http://127.0.0.1:" + collector.port() + "\n");
            }
            drill.run(folder, report);
            report.atLeast("connections to the collector", collector.taken(), "", 1);
        }
    }

    private static InetSocketAddress addressOf(OtlpReceiver receiver) {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), URI.create(receiver.endpoint()).getPort());
    }

    static void pauseWhile(BooleanSupplier going, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (going.getAsBoolean() && end - System.nanoTime() > 0) {
            HostileDrill.pause(Duration.ofMillis(50));
        }
    }
}
