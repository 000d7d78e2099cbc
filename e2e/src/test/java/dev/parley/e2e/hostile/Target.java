package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.rtc.ice.IceCredentials;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.atomic.LongAdder;

/**
 * What an attacker knows of the product, and what came of the attack.
 *
 * @param base where signaling listens
 * @param relay where clients send media
 * @param relayUpstream where transceivers send media
 * @param stolen a call of somebody else, which was overheard: its ufrags are known, its passwords
 *     are not
 * @param sockets what the attacker sends from, and what comes back there
 * @param done things done otherwise than from these sockets, which somebody has to count: datagrams
 *     of callers, requests
 */
record Target(
        URI base,
        InetSocketAddress relay,
        InetSocketAddress relayUpstream,
        BenchCall stolen,
        AttackSockets sockets,
        LongAdder done) {
    /** One where nobody is: what an attack costs there is no fault of the product. */
    Target at(InetSocketAddress nobody) {
        return new Target(base, nobody, nobody, stolen, sockets, new LongAdder());
    }

    /** Whether there is nobody. */
    boolean isNobody() {
        return relay.equals(relayUpstream);
    }

    /** Everything done so far that somebody has to count. */
    long sent() {
        return sockets.sent() + done.sum();
    }

    /** The name under which the overheard call's checks go. */
    String stolenUsername() {
        return stolen.remote().ufrag() + ":" + stolen.local().ufrag();
    }

    /** The overheard call's ufrag, with a password that is guessed. */
    IceCredentials guessed(java.util.random.RandomGenerator random) {
        return IceCredentials.withUfrag(stolen.remote().ufrag(), random);
    }
}
