package dev.parley.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.k8s.Policies.End;
import io.fabric8.kubernetes.api.model.ContainerPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The policies let through the arrows of the architecture and nothing else. */
class PoliciesTest {
    private static final List<String> STRAY_PORTS = List.of("9999/TCP", "9999/UDP");

    private static final List<String> ARROWS =
            List.of(
                    "client -> relay 3478/UDP",
                    "relay -> client 40000/UDP",
                    "client -> signaling 8080/TCP",
                    "signaling -> transceiver 7300/TCP",
                    "relay -> transceiver 7200/UDP",
                    "transceiver -> relay 7100/UDP",
                    "transceiver -> inference 7400/TCP",
                    "relay -> redis 6379/TCP",
                    "relay -> collector 4317/TCP",
                    "transceiver -> collector 4317/TCP",
                    "signaling -> collector 4317/TCP",
                    "inference -> collector 4317/TCP",
                    "collector -> jaeger 4317/TCP",
                    "prometheus -> collector 8889/TCP",
                    "prometheus -> signaling 9480/TCP",
                    "prometheus -> transceiver 9481/TCP",
                    "prometheus -> relay 9482/TCP",
                    "prometheus -> inference 9483/TCP",
                    "relay -> names 53/UDP",
                    "transceiver -> names 53/UDP",
                    "signaling -> names 53/UDP",
                    "inference -> names 53/UDP",
                    "collector -> names 53/UDP");

    private static Map<String, End> ends(Manifests manifests) {
        Map<String, End> ends = new LinkedHashMap<>();
        for (Workload workload : manifests.workloads()) {
            ends.put(
                    workload.name(),
                    workload.onHostNetwork()
                            ? End.address("10.2.3.4")
                            : End.pod(workload.labels(), "10.1.0." + ends.size()));
        }
        ends.put("client", End.address("198.51.100.7"));
        ends.put(
                "prometheus",
                new End(
                        Map.of("app", "p"),
                        Map.of("parley.dev/monitoring", "true"),
                        "10.1.9.1",
                        false));
        ends.put(
                "names",
                new End(
                        Map.of("k8s-app", "kube-dns"),
                        Map.of("kubernetes.io/metadata.name", "kube-system"),
                        "10.1.9.2",
                        false));
        ends.put(
                "stranger",
                new End(
                        Map.of("app.kubernetes.io/name", "relay"),
                        Map.of("a", "b"),
                        "10.1.9.3",
                        false));
        ends.put("metadata", End.address("169.254.169.254"));
        return ends;
    }

    private static Map<String, List<String>> ports(Manifests manifests) {
        Map<String, List<String>> ports = new LinkedHashMap<>();
        for (Workload workload : manifests.workloads()) {
            List<String> own = new ArrayList<>();
            for (ContainerPort port : workload.container().getPorts()) {
                String protocol = port.getProtocol() == null ? "TCP" : port.getProtocol();
                own.add(port.getContainerPort() + "/" + protocol);
            }
            if (workload.onHostNetwork()) {
                own.addAll(List.of("3478/UDP", "7100/UDP", "7180/TCP"));
            }
            ports.put(workload.name(), own);
        }
        ports.put("client", List.of("40000/UDP", "443/TCP"));
        ports.put("names", List.of("53/UDP", "53/TCP", "443/TCP"));
        ports.put("metadata", List.of("80/TCP", "3478/UDP"));
        return ports;
    }

    private static Set<String> passing(Manifests manifests) {
        Policies policies = new Policies(manifests);
        Map<String, End> ends = ends(manifests);
        Set<String> passing = new TreeSet<>();
        ends.forEach(
                (to, target) -> {
                    List<String> tried = new ArrayList<>(STRAY_PORTS);
                    tried.addAll(ports(manifests).getOrDefault(to, List.of()));
                    for (Map.Entry<String, End> from : ends.entrySet()) {
                        tried.stream()
                                .filter(port -> passes(policies, from.getValue(), target, port))
                                .forEach(
                                        port ->
                                                passing.add(
                                                        from.getKey() + " -> " + to + " " + port));
                    }
                });
        return passing;
    }

    private static boolean passes(Policies policies, End from, End to, String port) {
        if (!from.governed() && !to.governed()) {
            return false;
        }
        int slash = port.indexOf('/');
        return policies.allow(
                from, to, port.substring(slash + 1), Integer.parseInt(port.substring(0, slash)));
    }

    @Test
    void onlyTheArrowsPassWhereRelaysArePods() {
        Set<String> expected = new TreeSet<>(ARROWS);
        // A client may have any port and any address, and that of anything else looks like one.
        for (String anything : List.of("client", "names", "prometheus", "stranger")) {
            expected.add("relay -> " + anything + " 9999/UDP");
        }
        expected.add("relay -> relay 3478/UDP");
        ARROWS.stream()
                .filter(arrow -> arrow.endsWith(" 53/UDP"))
                .forEach(arrow -> expected.add(arrow.replace("/UDP", "/TCP")));
        for (String anyone : List.of("stranger", "prometheus", "names", "metadata")) {
            expected.add(anyone + " -> relay 3478/UDP");
            expected.add(anyone + " -> signaling 8080/TCP");
        }
        assertThat(passing(Manifests.rendered("cloud"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "global-east", "global-west"})
    void onlyTheArrowsOfOtherPodsPassWhereRelaysUseTheNodesNetwork(String overlay) {
        Set<String> expected = new TreeSet<>();
        for (String arrow : ARROWS) {
            boolean ofTheNode =
                    arrow.startsWith("relay -> names")
                            || arrow.startsWith("prometheus -> relay")
                            || arrow.startsWith("relay -> client")
                            || arrow.startsWith("client -> relay");
            if (!ofTheNode) {
                expected.add(arrow);
                if (arrow.endsWith(" 53/UDP")) {
                    expected.add(arrow.replace("/UDP", "/TCP"));
                }
            }
        }
        Set<String> passing = passing(Manifests.rendered(overlay));
        // A relay has no label here: any address of a private network stands for it. And anyone is
        // a client.
        String anyone = "(stranger|prometheus|names|metadata|relay)";
        passing.removeIf(
                arrow ->
                        !expected.contains(arrow)
                                && arrow.matches(
                                        anyone
                                                + " -> (transceiver 7200/UDP|redis 6379/TCP"
                                                + "|collector 4317/TCP|signaling 8080/TCP)"));
        assertThat(passing).isEqualTo(expected);
    }

    @Test
    void aPolicyLessOpensWhatItClosed() {
        Manifests all = Manifests.rendered("cloud");
        Manifests open =
                new Manifests(
                        all.all().stream()
                                .filter(r -> !r.getMetadata().getName().equals("nothing-else"))
                                .toList());
        assertThat(passing(open)).contains("redis -> client 443/TCP");
    }
}
