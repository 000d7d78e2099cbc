package dev.parley.runtime.cluster;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * One relay of a cluster as the map has it. Immutable.
 *
 * @param publicAddresses that clients use; several relays may have the same (anycast, a balancer)
 * @param legs where relays of other clusters reach its first worker, one address for each way, best
 *     first; worker i is at the port plus i
 * @param workers packet loops, each with a port of its own
 * @param weight its share of what other clusters send, 1 to 10,000
 */
public record ClusterRelay(
        List<InetSocketAddress> publicAddresses,
        List<InetSocketAddress> legs,
        int workers,
        int weight) {
    public ClusterRelay {
        publicAddresses = List.copyOf(publicAddresses);
        legs = List.copyOf(legs);
    }

    /** Where one of its workers is reached, best way first. */
    public List<InetSocketAddress> legsOf(int worker) {
        return legs.stream()
                .map(leg -> new InetSocketAddress(leg.getAddress(), leg.getPort() + worker))
                .toList();
    }
}
