package dev.parley.e2e.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Several network namespaces and the roads between them, each pair of addresses with a profile of
 * its own. Nothing else reaches them, and they reach nothing else. Closing it removes all of it.
 * Owned by one drill.
 */
public final class World implements AutoCloseable {
    /**
     * A namespace and its IPv4 addresses; packets to any but the first's kind leave from their own.
     */
    public record Place(String name, List<String> addresses) {
        public Place {
            addresses = List.copyOf(addresses);
        }
    }

    /** What happens to packets on their way; any thread may change what it answers. */
    @FunctionalInterface
    public interface Roads {
        /** The profile of the road between two addresses. */
        LinkProfile between(String from, String to);
    }

    private static final long LONGEST_WAIT_NANOS = 20_000_000L;
    private static final int PREFIX = 16;

    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Map<Integer, Node> byAddress = new HashMap<>();
    private final Roads roads;
    private volatile boolean closed;

    private World(List<Place> places, Roads roads, long seed) throws IOException {
        this.roads = roads;
        Lab.removeLeftOvers();
        String name = "parley" + ProcessHandle.current().pid() + "-" + Lab.COUNT.incrementAndGet();
        try {
            for (Place place : places) {
                String device = "plw" + nodes.size();
                Node node = new Node(name + "-" + place.name(), device, place, seed + nodes.size());
                nodes.put(place.name(), node);
                place.addresses().forEach(address -> byAddress.put(number(address), node));
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
        nodes.values().forEach(node -> node.thread.start());
    }

    /**
     * Makes the namespaces and the roads.
     *
     * @param seed of everything that the roads do
     * @throws IllegalStateException where that is not possible
     */
    public static World start(List<Place> places, Roads roads, long seed) {
        Lab.obstacle()
                .ifPresent(
                        obstacle -> {
                            throw new IllegalStateException(obstacle);
                        });
        try {
            return new World(places, roads, seed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int number(String address) {
        return ByteBuffer.wrap(InetAddress.ofLiteral(address).getAddress()).getInt();
    }

    private static String text(int address) {
        try {
            return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address).array())
                    .getHostAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Words in front of a command line that runs it in a place. */
    public List<String> in(String place) {
        return Lab.inside(node(place).space);
    }

    /** What has arrived at a place. */
    public Traffic arrivedAt(String place) {
        return node(place).traffic;
    }

    private Node node(String place) {
        Node node = nodes.get(place);
        if (node == null) {
            throw new IllegalArgumentException("no place " + place);
        }
        return node;
    }

    /** One namespace and the thread that carries what comes out of it. */
    private final class Node {
        private final String space;
        private final Tun tun;
        private final long seed;
        private final Map<Long, Road> out = new LinkedHashMap<>();
        private final Traffic traffic = new Traffic();
        private final Thread thread;

        private Node(String space, String device, Place place, long seed) throws IOException {
            this.space = space;
            this.seed = seed;
            this.thread =
                    Thread.ofPlatform().daemon().name("road-" + place.name()).unstarted(this::run);
            Lab.run("ip", "netns", "add", space);
            tun = new Tun(device);
            Lab.run("ip", "link", "set", device, "netns", space);
            Lab.run("ip", "-n", space, "link", "set", "lo", "up");
            for (String address : place.addresses()) {
                // A route to each kind of address, so that what goes there comes from there.
                String own = address + "/" + PREFIX;
                Lab.run("ip", "-n", space, "address", "add", own, "dev", device);
            }
            Lab.run("ip", "-n", space, "link", "set", device, "up");
        }

        /** Packets between two addresses. */
        private record Road(LinkQueue queue, String from, String to, @Nullable Node end) {}

        private void run() {
            try {
                while (!closed) {
                    tun.await(untilNext());
                    for (byte[] packet = tun.poll(); packet != null; packet = tun.poll()) {
                        takeIn(packet);
                    }
                    out.values().forEach(this::letOut);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("a road ends", e);
            }
        }

        private long untilNext() {
            long now = System.nanoTime();
            return out.values().stream()
                    .mapToLong(road -> road.queue.untilNext(now, LONGEST_WAIT_NANOS))
                    .min()
                    .orElse(LONGEST_WAIT_NANOS);
        }

        private void takeIn(byte[] packet) {
            Ipv4Packet view = new Ipv4Packet(packet);
            if (packet[0] >> 4 != 4) {
                return;
            }
            long pair = (long) view.source() << 32 | (view.destination() & 0xFFFF_FFFFL);
            Road road =
                    out.computeIfAbsent(
                            pair,
                            _ ->
                                    new Road(
                                            new LinkQueue(31 * seed + pair),
                                            text(view.source()),
                                            text(view.destination()),
                                            byAddress.get(view.destination())));
            road.queue.offer(roads.between(road.from, road.to), packet, System.nanoTime());
        }

        private void letOut(Road road) {
            long now = System.nanoTime();
            for (byte[] packet = road.queue.poll(now);
                    packet != null;
                    packet = road.queue.poll(now)) {
                Node end = road.end;
                if (end != null) {
                    end.traffic.delivered(new Ipv4Packet(packet), now);
                    end.tun.write(packet);
                }
            }
        }
    }

    /** Removes the namespaces; processes in them keep running, so end them before. */
    @Override
    public void close() {
        closed = true;
        List<String> left = new ArrayList<>();
        for (Node node : nodes.values()) {
            try {
                node.thread.join();
                node.tun.close();
                Lab.run("ip", "netns", "del", node.space);
            } catch (IOException e) {
                left.add(e.getMessage());
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
        nodes.clear();
        if (!left.isEmpty()) {
            System.err.println("left behind: " + left);
        }
    }
}
