package dev.parley.e2e.drill;

import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One of two relays behind one address is killed in the middle of a call. A balancer of the kernel
 * asks nobody how they are, so the drill takes the dead one out half a second later, as a
 * balancer's health check would.
 */
record RelayFailover() implements Drill {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    private static final long CHECK_MILLIS = 500;

    /** Two packets each way: one may be on its way when the balancer changes its mind. */
    private static final double BOUND_MILLIS = 80;

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        List<ChildProcess> others = new ArrayList<>();
        try (BalancedRelays relays = new BalancedRelays(folder);
                RedisProcess redis = RedisProcess.startAt(BalancedRelays.OUTSIDE, folder);
                ClientTap tap =
                        new ClientTap(
                                new InetSocketAddress(BalancedRelays.VIP, BalancedRelays.PORT))) {
            relays.startRelays(redis.relayOptions());
            String stub = service(others, folder, "inference-stub", "grpc_address: 127.0.0.1:0");
            String transceiver =
                    service(
                            others,
                            folder,
                            "transceiver",
                            """
                            media_address: %s:0
                            control_address: 127.0.0.1:0
                            relay_cidrs: [10.231.0.0/16]
                            cluster_id: %d
                            route_key_id: %d
                            route_keys: {%d: %s}
                            backends: {"*": "%s"}
                            """
                                    .formatted(
                                            BalancedRelays.OUTSIDE,
                                            RelaySystem.CLUSTER,
                                            RelaySystem.ROUTE_KEY_ID,
                                            RelaySystem.ROUTE_KEY_ID,
                                            RelaySystem.ROUTE_KEY,
                                            stub));
            String signaling =
                    service(
                            others,
                            folder,
                            "signaling",
                            """
                            http_address: 127.0.0.1:0
                            transceivers: ["%s"]
                            relay_addresses: ["127.0.0.1:%d"]
                            call_id_key: 0123456789abcdef0123456789abcdef
                            """
                                    .formatted(transceiver, tap.port()));
            call(URI.create("http://" + signaling), relays, tap, report);
        } finally {
            others.reversed().forEach(ChildProcess::close);
        }
    }

    private static void call(URI base, BalancedRelays relays, ClientTap tap, DrillReport report)
            throws IOException, InterruptedException {
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(base, "echo")) {
            caller.awaitConnected(CONNECT_TIMEOUT);
            long[] before = {relays.arrived(0), relays.arrived(1)};
            caller.listen(Duration.ofSeconds(3));
            int used = relays.arrived(0) - before[0] > relays.arrived(1) - before[1] ? 0 : 1;
            long killed = System.nanoTime();
            relays.relay(used).kill();
            var _ = relays.relay(used).awaitExit();
            Thread.sleep(CHECK_MILLIS);
            long asked = System.nanoTime();
            relays.balance(1 - used);
            caller.listen(Duration.ofSeconds(2));
            long back = tap.down().firstAfter(asked);
            report.require("the call goes on through the other relay", back != Long.MAX_VALUE);
            report.tell("silent in all", (back - tap.down().lastBefore(killed)) / 1e6, "ms");
            report.tell("until the balancer is told", (asked - killed) / 1e6, "ms");
            report.atMost("after that", (back - asked) / 1e6, "ms", BOUND_MILLIS);
            Wav words = SpeechSample.caller();
            caller.say(words).join();
            caller.listen(Duration.ofSeconds(1));
            report.atLeast(
                    "the caller's words come back, score",
                    Correlation.of(words, caller.heard()).score(),
                    "",
                    Correlation.SAME_SPEECH);
            report.require("the call ends like any other", caller.hangUp() == 200);
        }
    }

    private static String service(List<ChildProcess> started, Path folder, String name, String yaml)
            throws IOException {
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(name, "--config", file.toString());
        started.add(process);
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
