package dev.parley.e2e.drill;

import dev.parley.e2e.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Two relays in network namespaces of their own behind one address, which a third namespace spreads
 * over them with nftables, by client and without state, as a router or an eBPF balancer would.
 * Closing it removes everything. Owned by one drill; needs root, iproute2 and nftables.
 *
 * <pre>
 *   this machine 10.231.0.1 -- 10.231.0.2 balancer 10.231.1.1 -- 10.231.1.2 relay 1
 *                                                  10.231.2.1 -- 10.231.2.2 relay 2
 * </pre>
 */
final class BalancedRelays implements AutoCloseable {
    static final String OUTSIDE = "10.231.0.1";
    static final String VIP = "10.231.0.2";
    static final int PORT = 3478;

    private static final int UPSTREAM_PORT = 7100;
    private static final int RELAYS = 2;
    private static final long COMMAND_SECONDS = 10;

    private final Path folder;
    // What a drill that was killed has left goes by this name when the next lab is made.
    private final String name = "parley" + ProcessHandle.current().pid();
    private final List<String> spaces = new ArrayList<>();
    private final List<ChildProcess> relays = new ArrayList<>();

    BalancedRelays(Path folder) throws IOException {
        this.folder = folder;
        // Also when somebody interrupts the drill.
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        try {
            connect();
            balance(0, 1);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void connect() throws IOException {
        space("lb");
        link("", device("h"), OUTSIDE, space(0), device("v"), VIP);
        inside("lb", "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        for (int i = 1; i <= RELAYS; i++) {
            space("r" + i);
            String network = "10.231." + i + ".";
            link(space(0), device("b" + i), network + 1, space(i), device("r" + i), network + 2);
            run("ip", "-n", space(i), "route", "add", "default", "via", network + 1);
            run("ip", "route", "add", network + "0/24", "via", VIP);
        }
    }

    private String space(int index) {
        return spaces.get(index);
    }

    private String device(String end) {
        return "pf" + ProcessHandle.current().pid() + end;
    }

    private void space(String suffix) throws IOException {
        String space = name + "-" + suffix;
        run("ip", "netns", "add", space);
        spaces.add(space);
        run("ip", "-n", space, "link", "set", "lo", "up");
    }

    private static void link(
            String space, String device, String address, String peer, String end, String other)
            throws IOException {
        run("ip", "link", "add", device, "type", "veth", "peer", "name", end, "netns", peer);
        run("ip", "-n", peer, "address", "add", other + "/24", "dev", end);
        run("ip", "-n", peer, "link", "set", end, "up");
        if (space.isEmpty()) {
            run("ip", "address", "add", address + "/24", "dev", device);
            run("ip", "link", "set", device, "up");
        } else {
            run("ip", "link", "set", device, "netns", space);
            run("ip", "-n", space, "address", "add", address + "/24", "dev", device);
            run("ip", "-n", space, "link", "set", device, "up");
        }
    }

    /** Says which relays clients are spread over, by index. */
    void balance(int... healthy) throws IOException {
        StringBuilder map = new StringBuilder();
        for (int i = 0; i < healthy.length; i++) {
            map.append(i == 0 ? "" : ", ").append(i).append(" : ").append(address(healthy[i]));
        }
        // In one transaction: no packet sees half of it.
        String rules =
                """
                table ip balancer
                delete table ip balancer
                table ip balancer {
                    chain in {
                        type filter hook prerouting priority raw;
                        ip daddr %s udp dport %d notrack \
                ip daddr set jhash ip saddr . udp sport mod %d seed 0x5eed map { %s }
                        udp sport %d notrack
                    }
                    chain out {
                        type filter hook postrouting priority raw;
                        ip saddr { %s, %s } udp sport %d ip saddr set %s
                    }
                }
                """
                        .formatted(
                                VIP,
                                PORT,
                                healthy.length,
                                map,
                                PORT,
                                address(0),
                                address(1),
                                PORT,
                                VIP);
        Path file = folder.resolve("balancer.nft");
        Files.writeString(file, rules);
        inside("lb", "nft", "-f", file.toString());
    }

    private static String address(int relay) {
        return "10.231." + (relay + 1) + ".2";
    }

    /** Starts both relays with further lines of config, and waits for them. */
    void startRelays(String options) throws IOException {
        for (int i = 0; i < RELAYS; i++) {
            Path config = folder.resolve("relay-" + i + ".yaml");
            Files.writeString(
                    config,
                    """
                    public_addresses: ["%s:%d"]
                    advertised_addresses: ["%s:%d"]
                    upstream_address: %s:%d
                    workers: 1
                    transceiver_cidrs: [%s/32]
                    cluster_id: %d
                    route_keys: {%d: %s}
                    %s
                    """
                            .formatted(
                                    address(i),
                                    PORT,
                                    VIP,
                                    PORT,
                                    address(i),
                                    UPSTREAM_PORT,
                                    OUTSIDE,
                                    RelaySystem.CLUSTER,
                                    RelaySystem.ROUTE_KEY_ID,
                                    RelaySystem.ROUTE_KEY,
                                    options));
            relays.add(
                    ChildProcess.parley(
                            List.of("ip", "netns", "exec", space(i + 1)),
                            "relay",
                            "--config",
                            config.toString()));
        }
        relays.forEach(ChildProcess::awaitReady);
    }

    ChildProcess relay(int index) {
        return relays.get(index);
    }

    /** Packets that came to a relay's namespace so far. */
    long arrived(int relay) throws IOException {
        String file = "/sys/class/net/" + device("r" + (relay + 1)) + "/statistics/rx_packets";
        return Long.parseLong(output("ip", "netns", "exec", space(relay + 1), "cat", file).strip());
    }

    private void inside(String suffix, String... command) throws IOException {
        List<String> line = new ArrayList<>(List.of("ip", "netns", "exec", name + "-" + suffix));
        line.addAll(List.of(command));
        run(line.toArray(new String[0]));
    }

    private static void run(String... command) throws IOException {
        var _ = output(command);
    }

    private static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(
                        String.format(
                                Locale.ROOT, "%s: %s", String.join(" ", command), output.strip()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return output;
    }

    @Override
    public synchronized void close() {
        relays.forEach(ChildProcess::close);
        for (String space : spaces) {
            try {
                run("ip", "netns", "del", space);
            } catch (IOException e) {
                System.err.println("left behind: " + e.getMessage());
            }
        }
        spaces.clear();
    }
}
