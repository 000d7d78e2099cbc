package dev.parley.e2e.k8s;

import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.udp.IpAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What the network policies of some manifests let through, decided as Kubernetes defines it: a pod
 * that a policy of a direction selects is closed in that direction, but for what any of them
 * allows.
 */
final class Policies {
    /**
     * One end of a connection.
     *
     * @param labels of the pod
     * @param namespace labels of the pod's namespace
     * @param governed whether policies bind it: not what is outside, nor who uses a node's network
     */
    record End(
            Map<String, String> labels,
            Map<String, String> namespace,
            String ip,
            boolean governed) {
        static End pod(Map<String, String> labels, String ip) {
            return new End(labels, Map.of("kubernetes.io/metadata.name", "parley"), ip, true);
        }

        /** Someone with an address, and a pod to no policy. */
        static End address(String ip) {
            return new End(Map.of(), Map.of(), ip, false);
        }
    }

    private record Rule(List<NetworkPolicyPeer> peers, List<NetworkPolicyPort> ports) {}

    private final List<NetworkPolicy> policies;

    Policies(Manifests manifests) {
        this.policies = manifests.of(NetworkPolicy.class);
    }

    /** Whether the first packet of a connection passes. */
    boolean allow(End from, End to, String protocol, int port) {
        return passes(from, to, protocol, port, "Egress", Policies::egress)
                && passes(to, from, protocol, port, "Ingress", Policies::ingress);
    }

    private boolean passes(
            End own,
            End peer,
            String protocol,
            int port,
            String direction,
            Function<NetworkPolicy, List<Rule>> rules) {
        if (!own.governed()) {
            return true;
        }
        List<NetworkPolicy> binding =
                policies.stream()
                        .filter(p -> p.getSpec().getPolicyTypes().contains(direction))
                        .filter(
                                p ->
                                        ClusterRules.matches(
                                                p.getSpec().getPodSelector(), own.labels()))
                        .toList();
        return binding.isEmpty()
                || binding.stream()
                        .flatMap(p -> rules.apply(p).stream())
                        .anyMatch(rule -> covers(rule, peer, protocol, port));
    }

    private static List<Rule> ingress(NetworkPolicy policy) {
        return policy.getSpec().getIngress().stream()
                .map(rule -> new Rule(rule.getFrom(), rule.getPorts()))
                .toList();
    }

    private static List<Rule> egress(NetworkPolicy policy) {
        return policy.getSpec().getEgress().stream()
                .map(rule -> new Rule(rule.getTo(), rule.getPorts()))
                .toList();
    }

    private static boolean covers(Rule rule, End peer, String protocol, int port) {
        return (rule.peers().isEmpty() || rule.peers().stream().anyMatch(p -> covers(p, peer)))
                && (rule.ports().isEmpty()
                        || rule.ports().stream().anyMatch(p -> covers(p, protocol, port)));
    }

    private static boolean covers(NetworkPolicyPort ports, String protocol, int port) {
        int first = ports.getPort().getIntVal();
        int last = ports.getEndPort() == null ? first : ports.getEndPort();
        return protocol.equals(ports.getProtocol()) && port >= first && port <= last;
    }

    private static boolean covers(NetworkPolicyPeer peer, End end) {
        if (peer.getIpBlock() != null) {
            return contains(peer.getIpBlock(), end.ip());
        }
        if (end.labels().isEmpty()) {
            return false;
        }
        boolean namespace =
                peer.getNamespaceSelector() == null
                        ? "parley".equals(end.namespace().get("kubernetes.io/metadata.name"))
                        : ClusterRules.matches(peer.getNamespaceSelector(), end.namespace());
        return namespace
                && (peer.getPodSelector() == null
                        || ClusterRules.matches(peer.getPodSelector(), end.labels()));
    }

    private static boolean contains(IPBlock block, String ip) {
        return contains(block.getCidr(), ip)
                && block.getExcept().stream().noneMatch(range -> contains(range, ip));
    }

    private static boolean contains(String range, String ip) {
        InetAddress address = InetAddress.ofLiteral(ip);
        // ::/0 has no IPv4 address, though our own ranges know them as mapped ones.
        return (range.indexOf(':') >= 0) == (ip.indexOf(':') >= 0)
                && Cidr.parse(range).contains(IpAddress.high(address), IpAddress.low(address));
    }
}
