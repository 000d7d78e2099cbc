package dev.parley.signaling.steering;

import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * Decides by where a client is which cluster its call goes to and which ingress addresses its
 * answer advertises, and where it should go when there is no room. Any thread may ask.
 */
public interface Placement {
    /**
     * What was decided for one client.
     *
     * @param owners ids of clusters to ask for the call, best first, at least one
     * @param relayAddresses public relay addresses to advertise, best first, such as {@code
     *     203.0.113.10:3478}
     * @param ingress name of the cluster that the first of them is in; empty when there is one only
     * @param basis what decided, such as {@code pop}
     * @param inputs what was known of the client
     * @param considered the clusters, nearest first, with what is known of each; empty when there
     *     is one only
     */
    record Decision(
            List<Integer> owners,
            List<String> relayAddresses,
            String ingress,
            String basis,
            String inputs,
            String considered) {
        public Decision {
            owners = List.copyOf(owners);
            relayAddresses = List.copyOf(relayAddresses);
        }
    }

    /**
     * Decides.
     *
     * @throws dev.parley.signaling.http.RefusedException when the client asks for a region that
     *     there is not, or no cluster may take a call
     */
    Decision decide(Whereabouts client);

    /**
     * The public relay addresses to advertise to a client whose call is somewhere already, best
     * first.
     */
    List<String> relayAddresses(Whereabouts client);

    /** Another cluster's signaling for clients that can be redirected; empty when there is none. */
    Optional<URI> elsewhere(InetAddress client);

    /** One cluster: the same for everyone. */
    static Placement singleCluster(
            int cluster, List<String> relayAddresses, Optional<URI> elsewhere) {
        Decision decision = new Decision(List.of(cluster), relayAddresses, "", "single", "", "");
        return new Placement() {
            @Override
            public Decision decide(Whereabouts client) {
                return decision;
            }

            @Override
            public List<String> relayAddresses(Whereabouts client) {
                return decision.relayAddresses();
            }

            @Override
            public Optional<URI> elsewhere(InetAddress client) {
                return elsewhere;
            }
        };
    }
}
