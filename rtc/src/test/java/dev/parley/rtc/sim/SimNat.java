package dev.parley.rtc.sim;

import java.util.HashMap;
import java.util.Map;

/**
 * A NAT in front of some addresses: each gets one public port, kept until the binding is lost.
 * After that its next datagram opens another one and whatever comes to the old one is dropped.
 */
public final class SimNat {
    private static final int FIRST_PORT = 20_000;

    private final SimNetwork network;
    private final int publicHost;
    private final Map<SimAddress, SimAddress> bindings = new HashMap<>();
    private final Map<SimAddress, SimNetwork.Receiver> inside = new HashMap<>();
    private int nextPort = FIRST_PORT;

    public SimNat(SimNetwork network, int publicHost) {
        this.network = network;
        this.publicHost = publicHost;
    }

    public void attach(SimAddress address, SimNetwork.Receiver receiver) {
        inside.put(address, receiver);
    }

    public void send(SimAddress from, SimAddress to, byte[] datagram) {
        network.send(publicAddress(from), to, datagram);
    }

    /** Under which address the world sees an inside one. */
    public SimAddress publicAddress(SimAddress from) {
        return bindings.computeIfAbsent(
                from,
                source -> {
                    SimAddress opened = SimAddress.of(publicHost, nextPort++);
                    network.attach(
                            opened,
                            (sender, datagram) -> {
                                SimNetwork.Receiver receiver = inside.get(source);
                                if (receiver != null) {
                                    receiver.receive(sender, datagram);
                                }
                            });
                    return opened;
                });
    }

    /** Forgets every binding, as a rebooted router does. */
    public void rebind() {
        bindings.values().forEach(network::detach);
        bindings.clear();
    }
}
