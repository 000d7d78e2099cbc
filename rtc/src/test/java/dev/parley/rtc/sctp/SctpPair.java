package dev.parley.rtc.sctp;

import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimLink;
import dev.parley.rtc.sim.SimNetwork;

/** Two associations of ours with a simulated network between them. */
final class SctpPair {
    static final long MILLIS = 1_000_000L;
    static final long SECOND = 1_000 * MILLIS;

    final SimNetwork network;
    final SctpHost left;
    final SctpHost right;

    SctpPair(long seed, SimLink link) {
        this(seed, link, SctpConfig.DEFAULT, SctpConfig.DEFAULT);
    }

    SctpPair(long seed, SimLink link, SctpConfig leftConfig, SctpConfig rightConfig) {
        network = new SimNetwork(seed, link);
        SimAddress a = SimAddress.of(1, 5000);
        SimAddress b = SimAddress.of(2, 5000);
        left = new SctpHost(leftConfig, network, a, b, network.random().split());
        right = new SctpHost(rightConfig, network, b, a, network.random().split());
    }

    static SimLink link(double loss, long delayMillis) {
        return new SimLink(loss, 0, 0, delayMillis * MILLIS, 0);
    }

    /** Both sides send an INIT, as WebRTC peers do. */
    SctpPair connected() {
        left.connect();
        right.connect();
        network.run(2 * SECOND);
        return this;
    }

    void run(long nanos) {
        network.run(nanos);
    }
}
