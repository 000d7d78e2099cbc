package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A node's nftables: what network policies allow between pods, and the ports of services. */
final class NodeRules {
    private static final int BUCKETS = 64;

    /** Labels of the pods that names are asked of. */
    private static final Map<String, String> NAMES = Map.of("k8s-app", "kube-dns");

    private final Manifests manifests;
    private final List<RunningPod> pods;
    private final ClusterNames names;
    private final StringBuilder text = new StringBuilder();

    private NodeRules(Manifests manifests, List<RunningPod> pods, ClusterNames names) {
        this.manifests = manifests;
        this.pods = pods;
        this.names = names;
    }

    static String of(Manifests manifests, List<RunningPod> pods, ClusterNames names) {
        NodeRules rules = new NodeRules(manifests, pods, names);
        rules.write();
        return rules.text.toString();
    }

    private List<RunningPod> governed() {
        return pods.stream().filter(pod -> !pod.workload().onHostNetwork()).toList();
    }

    private void write() {
        text.append("table ip parley\ndelete table ip parley\ntable ip parley {\n");
        for (RunningPod pod : governed()) {
            chain(pod, "Egress", "daddr");
            chain(pod, "Ingress", "saddr");
        }
        text.append("chain forward { type filter hook forward priority 0;\n");
        text.append("ct state established,related accept\n");
        text.append("ip saddr ").append(NodeNetwork.OUTSIDE);
        text.append(" tcp dport { 6379, 7300, 7400 } accept comment \"the kubelet\"\n");
        rejectServices();
        governed().forEach(pod -> jump(pod, "saddr", "Egress"));
        governed().forEach(pod -> jump(pod, "daddr", "Ingress"));
        text.append("}\nchain input { type filter hook input priority 0;\n");
        text.append("ct state established,related accept\n");
        governed().forEach(pod -> jump(pod, "saddr", "Egress"));
        text.append("}\nchain output { type filter hook output priority 0;\n");
        text.append("ct state established,related accept\n");
        rejectServices();
        // What else the node sends comes from the kubelet.
        text.append("meta skgid != { ").append(groups()).append(" } accept\n");
        governed().forEach(pod -> jump(pod, "daddr", "Ingress"));
        text.append("}\nchain services { type nat hook prerouting priority -100;\n");
        manifests.of(Service.class).forEach(this::nodePort);
        services();
        text.append("}\nchain own-services { type nat hook output priority -100;\n");
        services();
        text.append("}\n");
        manifests.of(Service.class).forEach(this::balancer);
        text.append("}\n");
    }

    // What leads nowhere.
    private void rejectServices() {
        text.append("ip daddr ").append(ClusterNames.SERVICES).append(" reject\n");
    }

    private void services() {
        text.append("ip daddr ").append(ClusterNames.ADDRESS).append(" udp dport 53 dnat to ");
        text.append(NodeNetwork.OUTSIDE).append(':').append(names.port()).append('\n');
        manifests.of(Service.class).stream().filter(ClusterNames::hasOwn).forEach(this::service);
    }

    private void service(Service service) {
        List<RunningPod> behind = behind(service);
        if (behind.isEmpty()) {
            return;
        }
        for (ServicePort port : service.getSpec().getPorts()) {
            text.append("ip daddr ").append(names.own(service)).append(' ');
            text.append(protocol(port.getProtocol())).append(" dport ").append(port.getPort());
            lead(behind, port);
        }
    }

    private static boolean asksNames(NetworkPolicyPeer peer) {
        return peer.getPodSelector() != null
                && NAMES.equals(peer.getPodSelector().getMatchLabels());
    }

    private static String protocol(@Nullable String said) {
        return said == null ? "tcp" : said.toLowerCase(Locale.ROOT);
    }

    /** Those of pods on the node's network. */
    private String groups() {
        String groups =
                pods.stream()
                        .filter(pod -> pod.workload().onHostNetwork())
                        .map(pod -> pod.workload().pod().getSecurityContext().getRunAsGroup())
                        .distinct()
                        .map(String::valueOf)
                        .collect(Collectors.joining(", "));
        return groups.isEmpty() ? "65534" : groups;
    }

    // Without state, as a router does it: a client's packets go to one of the pods by its address,
    // and what comes back is the balancer's.
    private void balancer(Service service) {
        List<RunningPod> behind = behind(service);
        var port = service.getSpec().getPorts().getFirst();
        if (!"LoadBalancer".equals(service.getSpec().getType())
                || !"UDP".equals(port.getProtocol())
                || behind.isEmpty()) {
            return;
        }
        text.append("chain balancer-in { type filter hook prerouting priority raw;\n");
        text.append("ip daddr ").append(NodeNetwork.BALANCER);
        text.append(" udp dport ").append(port.getPort());
        text.append(" notrack ip daddr set jhash ip saddr . udp sport mod ").append(BUCKETS);
        text.append(" seed 0x5eed map { ").append(buckets(behind)).append(" }\n");
        text.append("ip daddr ").append(NodeNetwork.OUTSIDE);
        text.append(" udp sport ").append(port.getPort()).append(" notrack\n}\n");
        text.append("chain balancer-out { type filter hook postrouting priority raw;\n");
        text.append("ip saddr { ");
        text.append(behindOrEnding(service)).append(" } udp sport ").append(port.getPort());
        text.append(" ip saddr set ").append(NodeNetwork.BALANCER).append("\n}\n");
    }

    // Each bucket has the pod that suits it best, so one less or one more moves few clients.
    private static String buckets(List<RunningPod> behind) {
        return IntStream.range(0, BUCKETS)
                .mapToObj(
                        bucket ->
                                bucket
                                        + " : "
                                        + Collections.max(
                                                        behind,
                                                        Comparator.comparingInt(
                                                                pod -> suits(bucket, pod)))
                                                .ip())
                .collect(Collectors.joining(", "));
    }

    private static int suits(int bucket, RunningPod pod) {
        int mixed = (pod.ip().hashCode() * 31 + bucket) * 0x9E3779B9;
        return (mixed ^ (mixed >>> 15)) * 0x85EBCA6B;
    }

    // A pod that is on its way out still answers whom it has heard.
    private String behindOrEnding(Service service) {
        return pods.stream()
                .filter(pod -> isBehind(service, pod))
                .map(RunningPod::ip)
                .collect(Collectors.joining(", "));
    }

    private List<RunningPod> behind(Service service) {
        return pods.stream()
                .filter(RunningPod::isEndpoint)
                .filter(pod -> isBehind(service, pod))
                .toList();
    }

    /** Whether a service's selector takes a pod. */
    static boolean isBehind(Service service, RunningPod pod) {
        return pod.workload()
                .labels()
                .entrySet()
                .containsAll(service.getSpec().getSelector().entrySet());
    }

    private void jump(RunningPod pod, String side, String direction) {
        text.append("ip ").append(side).append(' ').append(pod.ip());
        text.append(" jump ").append(chainName(pod, direction)).append('\n');
    }

    private static String chainName(RunningPod pod, String direction) {
        return direction.toLowerCase(Locale.ROOT) + pod.ip().replace(".", "_");
    }

    // Returns for what is allowed.
    private void chain(RunningPod pod, String direction, String peerSide) {
        text.append("chain ").append(chainName(pod, direction)).append(" {\n");
        boolean closed = false;
        for (NetworkPolicy policy : manifests.of(NetworkPolicy.class)) {
            var spec = policy.getSpec();
            if (!spec.getPolicyTypes().contains(direction)
                    || !ClusterRules.matches(spec.getPodSelector(), pod.workload().labels())) {
                continue;
            }
            closed = true;
            if (direction.equals("Ingress")) {
                spec.getIngress().forEach(rule -> allow(rule.getFrom(), rule.getPorts(), peerSide));
            } else {
                spec.getEgress().forEach(rule -> allow(rule.getTo(), rule.getPorts(), peerSide));
            }
        }
        text.append(closed ? "counter drop\n}\n" : "}\n");
    }

    private void allow(
            List<NetworkPolicyPeer> peers, List<NetworkPolicyPort> ports, String peerSide) {
        List<String> from = new ArrayList<>();
        if (peers.isEmpty()) {
            from.add("");
        }
        for (NetworkPolicyPeer peer : peers) {
            if (peer.getIpBlock() != null) {
                addBlock(peer.getIpBlock(), peerSide, from);
            } else if (asksNames(peer)) {
                text.append("ip ").append(peerSide).append(' ').append(NodeNetwork.OUTSIDE);
                text.append(" udp dport ").append(names.port()).append(" return\n");
            } else if (peer.getNamespaceSelector() == null) {
                governed().stream()
                        .filter(
                                p ->
                                        ClusterRules.matches(
                                                peer.getPodSelector(), p.workload().labels()))
                        .forEach(p -> from.add("ip " + peerSide + " " + p.ip()));
            }
        }
        for (String who : from) {
            for (NetworkPolicyPort port : ports) {
                int first = port.getPort().getIntVal();
                int last = port.getEndPort() == null ? first : port.getEndPort();
                text.append(who).append(' ');
                text.append(port.getProtocol().toLowerCase(Locale.ROOT));
                text.append(" dport ").append(first).append('-').append(last).append(" return\n");
            }
        }
    }

    private static void addBlock(IPBlock block, String peerSide, List<String> from) {
        if (block.getCidr().indexOf(':') >= 0) {
            return;
        }
        String except =
                block.getExcept().isEmpty()
                        ? ""
                        : " ip "
                                + peerSide
                                + " != { "
                                + String.join(", ", block.getExcept())
                                + " }";
        from.add("ip " + peerSide + " " + block.getCidr() + except);
    }

    private void nodePort(Service service) {
        var port = service.getSpec().getPorts().getFirst();
        List<RunningPod> behind = behind(service);
        if (port.getNodePort() == null || behind.isEmpty()) {
            return;
        }
        text.append("ip daddr ").append(NodeNetwork.NODE).append(" tcp dport ");
        text.append(port.getNodePort());
        lead(behind, port);
    }

    private void lead(List<RunningPod> behind, ServicePort port) {
        int target =
                behind.getFirst().workload().container().getPorts().stream()
                        .filter(p -> p.getName().equals(port.getTargetPort().getStrVal()))
                        .findFirst()
                        .orElseThrow()
                        .getContainerPort();
        String map =
                IntStream.range(0, behind.size())
                        .mapToObj(i -> i + " : " + behind.get(i).ip())
                        .collect(Collectors.joining(", "));
        text.append(" dnat to numgen inc mod ").append(behind.size());
        text.append(" map { ").append(map).append(" } : ").append(target).append('\n');
    }
}
