package dev.parley.e2e.lab;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The router in front of the client: gives each of its UDP and TCP ports one on its public address,
 * whatever they talk to (RFC 4787's endpoint-independent mapping). Shared by both directions of the
 * link.
 */
final class Nat {
    private static final int FIRST_PORT = 20_000;

    private record Inside(int protocol, int address, int port) {}

    private record Outside(int protocol, int address, int port) {}

    private final Map<Inside, Outside> bindings = new HashMap<>();
    private final Map<Outside, Inside> insides = new HashMap<>();
    private int publicAddress;
    private int nextPort = FIRST_PORT;

    Nat(int publicAddress) {
        this.publicAddress = publicAddress;
    }

    /** Makes a packet of the client look as if it came from here; other protocols pass as is. */
    synchronized void outbound(Ipv4Packet packet) {
        if (!packet.hasPorts()) {
            return;
        }
        Inside inside = new Inside(packet.protocol(), packet.source(), packet.sourcePort());
        Outside outside = bindings.computeIfAbsent(inside, this::bind);
        packet.source(outside.address, outside.port);
    }

    private Outside bind(Inside inside) {
        Outside outside = new Outside(inside.protocol, publicAddress, nextPort++);
        insides.put(outside, inside);
        return outside;
    }

    /** Readdresses a packet to the client; answers false when no binding leads there. */
    synchronized boolean inbound(Ipv4Packet packet) {
        if (!packet.hasPorts()) {
            return true;
        }
        Inside inside =
                insides.get(
                        new Outside(
                                packet.protocol(), packet.destination(), packet.destinationPort()));
        if (inside == null) {
            return false;
        }
        packet.destination(inside.address, inside.port);
        return true;
    }

    /**
     * Forgets the UDP bindings, as a router does that ran out of memory or was rebooted: what the
     * client sends next comes from new ports.
     *
     * @param newAddress public address from now on, or null to keep it; TCP connections keep theirs
     */
    synchronized void rebind(@Nullable Integer newAddress) {
        bindings.keySet().removeIf(inside -> inside.protocol == Ipv4Packet.UDP);
        insides.keySet().removeIf(outside -> outside.protocol == Ipv4Packet.UDP);
        if (newAddress != null) {
            publicAddress = newAddress;
        }
    }
}
