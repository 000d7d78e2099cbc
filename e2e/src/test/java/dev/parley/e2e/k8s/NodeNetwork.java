package dev.parley.e2e.k8s;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The network of a node, and pods' own behind it, each a namespace; every packet between two of
 * them is routed by the node, whose nftables decide. Closing it removes everything. Needs root.
 *
 * <pre>
 *   this machine 198.18.231.1 -- 198.18.231.2 node 192.168.231.2 -- 10.244.231.N pod
 *                     balancer 203.0.113.10
 * </pre>
 */
final class NodeNetwork implements AutoCloseable {
    /** RFC 2544's range: to policies a public address, and nobody's. */
    static final String OUTSIDE = "198.18.231.1";

    static final String NODE = "192.168.231.2";

    /** Where a balancer is reached, in front of the node. */
    static final String BALANCER = "203.0.113.10";

    private static final String DOOR = "198.18.231.2";
    private static final String GATEWAY = "10.244.231.1";
    private static final String PODS = "10.244.231.";

    private final String name = "parley" + ProcessHandle.current().pid();
    private final String device = "pk" + ProcessHandle.current().pid();
    private final List<String> spaces = new ArrayList<>();
    private int pods = 1;

    NodeNetwork() throws IOException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        try {
            make(node());
            link("", device, node(), "outside");
            Command.run("ip", "address", "add", OUTSIDE + "/24", "dev", device);
            Command.run("ip", "-n", node(), "address", "add", DOOR + "/24", "dev", "outside");
            Command.run("ip", "-n", node(), "address", "add", NODE + "/32", "dev", "lo");
            Command.run("ip", "-n", node(), "route", "add", "default", "via", OUTSIDE);
            inNode("ip", "route", "add", ClusterNames.SERVICES, "via", OUTSIDE, "src", NODE);
            for (String there : List.of(PODS + "0/24", NODE, BALANCER)) {
                Command.run("ip", "route", "add", there, "via", DOOR);
            }
            inNode("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** The namespace of the node's own network. */
    String node() {
        return name + "-node";
    }

    /** Makes a pod's network and answers its namespace, which {@link #address} belongs to. */
    String addPod() throws IOException {
        int number = ++pods;
        String space = name + "-" + number;
        make(space);
        link(node(), "pod" + number, space, "eth0");
        Command.run("ip", "-n", node(), "address", "add", GATEWAY + "/32", "dev", "pod" + number);
        Command.run("ip", "-n", node(), "route", "add", PODS + number, "dev", "pod" + number);
        Command.run("ip", "-n", space, "address", "add", PODS + number + "/32", "dev", "eth0");
        Command.run("ip", "-n", space, "route", "add", GATEWAY, "dev", "eth0", "scope", "link");
        Command.run("ip", "-n", space, "route", "add", "default", "via", GATEWAY);
        return space;
    }

    /** The address in a namespace. */
    String address(String space) {
        return space.equals(node()) ? NODE : PODS + space.substring(space.lastIndexOf('-') + 1);
    }

    /** The namespace that has an address. */
    String space(String address) {
        return address.equals(NODE)
                ? node()
                : name + "-" + address.substring(address.lastIndexOf('.') + 1);
    }

    private void make(String space) throws IOException {
        Command.run("ip", "netns", "add", space);
        spaces.add(space);
        Command.run("ip", "-n", space, "link", "set", "lo", "up");
    }

    private static void link(String space, String one, String otherSpace, String other)
            throws IOException {
        Command.run(
                "ip",
                "link",
                "add",
                one,
                "type",
                "veth",
                "peer",
                "name",
                other,
                "netns",
                otherSpace);
        Command.run("ip", "-n", otherSpace, "link", "set", other, "up");
        if (space.isEmpty()) {
            Command.run("ip", "link", "set", one, "up");
        } else {
            Command.run("ip", "link", "set", one, "netns", space);
            Command.run("ip", "-n", space, "link", "set", one, "up");
        }
    }

    /** Runs a command in the node's network. */
    String inNode(String... words) throws IOException {
        List<String> line = new ArrayList<>(List.of("ip", "netns", "exec", node()));
        line.addAll(List.of(words));
        return Command.run(line.toArray(String[]::new));
    }

    /** Replaces the node's rules, in one transaction. */
    void rules(Path folder, String nft) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.nft"), nft);
        inNode("nft", "-f", file.toString());
    }

    @Override
    public void close() {
        for (String space : spaces.reversed()) {
            try {
                Command.run("ip", "netns", "del", space);
            } catch (IOException e) {
                System.err.println(e.getMessage());
            }
        }
        spaces.clear();
    }
}
