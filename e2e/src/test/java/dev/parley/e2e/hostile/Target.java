package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.rtc.ice.IceCredentials;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * What an attacker knows of the product.
 *
 * @param base where signaling listens
 * @param relay where clients send media
 * @param relayUpstream where transceivers send media
 * @param stolen a call of somebody else, which was overheard: its ufrags are known, its passwords
 *     are not
 * @param sockets what the attacker sends from, and what comes back there
 */
record Target(
        URI base,
        InetSocketAddress relay,
        InetSocketAddress relayUpstream,
        BenchCall stolen,
        AttackSockets sockets) {
    /** The name under which the overheard call's checks go. */
    String stolenUsername() {
        return stolen.remote().ufrag() + ":" + stolen.local().ufrag();
    }

    /** The overheard call's ufrag, with a password that is guessed. */
    IceCredentials guessed(java.util.random.RandomGenerator random) {
        return IceCredentials.withUfrag(stolen.remote().ufrag(), random);
    }
}
