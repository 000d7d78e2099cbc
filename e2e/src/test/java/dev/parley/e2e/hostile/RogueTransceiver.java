package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.HostileSystem.Service;
import dev.parley.rtc.route.ClientHeader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A transceiver that has been taken over: it sends by the relay, from an address of the ranges that
 * the relay trusts, to whom it likes. Owned by one drill.
 */
final class RogueTransceiver implements AutoCloseable {
    private static final int PER_SECOND = 20_000;
    private static final int FLOW_TIMEOUT_SECONDS = 10;
    private static final int RECOVERIES_PER_SECOND = 1_000;
    private static final int PAYLOAD_BYTES = 1_000;

    private final HostileSystem system;
    private final DatagramSocket socket = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));

    private RogueTransceiver(HostileSystem system) throws IOException {
        this.system = system;
    }

    /** To strangers, by a relay that was just started and by one that was not. */
    static void strangers(Path folder, DrillReport report) throws Exception {
        Map<Service, String> extra =
                Map.of(
                        Service.RELAY,
                        "flow_timeout: %ds\nrecoveries_per_second: %d\n"
                                .formatted(FLOW_TIMEOUT_SECONDS, RECOVERIES_PER_SECOND));
        try (HostileSystem system = HostileSystem.start(folder, "", extra);
                DatagramSocket stranger =
                        new DatagramSocket(0, InetAddress.ofLiteral("127.0.3.1"));
                RogueTransceiver rogue = new RogueTransceiver(system)) {
            long start = System.nanoTime();
            AtomicLong bytes = new AtomicLong();
            Thread.ofVirtual().start(() -> count(stranger, bytes));
            justStarted(rogue, report);
            // Nobody's flow is left of it when calls begin.
            HostileDrill.pause(
                    Duration.ofSeconds(FLOW_TIMEOUT_SECONDS + 1L)
                            .minusNanos(System.nanoTime() - start));
            bytes.set(0);
            InetSocketAddress to = (InetSocketAddress) stranger.getLocalSocketAddress();
            HostileDrill.answered(
                            (target, going) ->
                                    Pace.hold(
                                            PER_SECOND,
                                            going,
                                            () -> {
                                                rogue.send(to);
                                                target.done().increment();
                                            },
                                            () -> {}))
                    .counted(Service.RELAY, "down_without_flow")
                    .run(system, report);
            report.atMost("later: bytes that a stranger got", bytes.get(), "", 0);
        }
    }

    // Each packet to another port, so that each takes a recovery.
    private static void justStarted(RogueTransceiver rogue, DrillReport report) throws Exception {
        Counts before = Counts.now(rogue.system);
        long start = System.nanoTime();
        int[] sent = {0};
        Pace.hold(
                PER_SECOND,
                () -> System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1),
                () ->
                        rogue.send(
                                new InetSocketAddress(
                                        InetAddress.ofLiteral("127.0.3.2"),
                                        1_024 + sent[0]++ % 60_000)),
                () -> {});
        double seconds = (System.nanoTime() - start) / 1e9;
        HostileDrill.pause(Duration.ofMillis(500));
        double passed =
                Counts.now(rogue.system)
                        .since(before)
                        .sum(List.of(Counts.Expected.of(Service.RELAY, "down_recovered")));
        report.tell("just started: packets of the rogue", sent[0], "");
        report.atMost(
                "just started: strangers that it reached",
                passed,
                "",
                RECOVERIES_PER_SECOND * Math.ceil(seconds + 1));
    }

    /** In the name of calls of another transceiver, to their live callers. */
    static void callsOfOthers(Path folder, DrillReport report) throws Exception {
        try (HostileSystem system = HostileSystem.start(folder, "", Map.of());
                RogueTransceiver rogue = new RogueTransceiver(system)) {
            HostileDrill.answered(
                            (target, going) -> {
                                BenchCall victim = target.stolen();
                                Pace.hold(
                                        PER_SECOND,
                                        going,
                                        () -> {
                                            rogue.send(victim.localAddress());
                                            target.done().increment();
                                        },
                                        () -> {});
                            })
                    .counted(Service.RELAY, "down_other_transceiver")
                    .run(system, report);
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

    private void send(InetSocketAddress to) throws IOException {
        ByteBuffer packet = ByteBuffer.allocate(ClientHeader.LENGTH + PAYLOAD_BYTES);
        InetSocketAddress relay = system.relay();
        ClientHeader.write(
                packet,
                0,
                0,
                mapped(to.getAddress()),
                to.getPort(),
                0,
                mapped(relay.getAddress()),
                relay.getPort());
        packet.put(ClientHeader.LENGTH, (byte) 0x80);
        socket.send(new DatagramPacket(packet.array(), packet.capacity(), system.relayUpstream()));
    }

    // IPv4 as IPv4-mapped: the low 8 bytes.
    private static long mapped(InetAddress address) {
        return 0xFFFFL << 32
                | Integer.toUnsignedLong(ByteBuffer.wrap(address.getAddress()).getInt());
    }

    @Override
    public void close() {
        socket.close();
    }
}
