package dev.parley.signaling.calls;

import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * Decides by where a request comes from which ingress addresses its answer advertises, and where
 * its client should go when this cluster can take no more. Any thread may ask.
 */
public interface Placement {
    /**
     * Public relay addresses, best first, such as {@code 203.0.113.10:3478}.
     *
     * @param client where the request comes from
     */
    List<String> relayAddresses(InetAddress client);

    /** Another cluster's signaling for clients that can be redirected; empty when there is none. */
    Optional<URI> elsewhere(InetAddress client);

    /** One cluster: the same for everyone. */
    static Placement singleCluster(List<String> relayAddresses, Optional<URI> elsewhere) {
        List<String> addresses = List.copyOf(relayAddresses);
        return new Placement() {
            @Override
            public List<String> relayAddresses(InetAddress client) {
                return addresses;
            }

            @Override
            public Optional<URI> elsewhere(InetAddress client) {
                return elsewhere;
            }
        };
    }
}
