package dev.parley.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.e2e.k8s.Policies.End;
import io.fabric8.kubernetes.api.model.ContainerPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The policies let through the arrows of the architecture and nothing else. */
class PoliciesTest {
    private static final List<String> STRAY_PORTS = List.of("9999/TCP", "9999/UDP");

    private static final String METADATA_NAME = "kubernetes.io/metadata.name";

    private static final List<String> ANYONE =
            List.of(
                    "client",
                    "neighbour",
                    "redis elsewhere",
                    "backend elsewhere",
                    "model",
                    "stranger",
                    "prometheus",
                    "names",
                    "metadata");

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

    /** Where an overlay's pods, its nodes, and what is not in the cluster have their addresses. */
    private record Ranges(String pods, String node, String elsewhere) {
        static Ranges of(String overlay) {
            return switch (overlay) {
                case "global-east" -> new Ranges("10.1.130.", "10.1.3.4", "100.");
                case "global-west" -> new Ranges("10.2.130.", "10.2.3.4", "100.");
                case "cloud-managed" -> new Ranges("10.244.3.", "10.0.0.4", "10.");
                default -> new Ranges("10.244.3.", "192.168.49.2", "100.");
            };
        }
    }

    private static Map<String, End> ends(Manifests manifests, Ranges ranges) {
        Map<String, End> ends = new LinkedHashMap<>();
        for (Workload workload : manifests.workloads()) {
            ends.put(
                    workload.name(),
                    workload.onHostNetwork()
                            ? End.address(ranges.node())
                            : End.pod(workload.labels(), ranges.pods() + ends.size()));
        }
        ends.put("client", End.address("198.18.0.7"));
        ends.put("neighbour", End.address("198.51.100.9"));
        ends.put("redis elsewhere", End.address(ranges.elsewhere() + "64.0.5"));
        ends.put("backend elsewhere", End.address(ranges.elsewhere() + "66.0.5"));
        String others = ranges.pods() + "20";
        ends.put("prometheus", pod("p", "parley.dev/monitoring", "true", others + 1));
        ends.put("names", pod("kube-dns", METADATA_NAME, "kube-system", others + 2));
        ends.put("model", pod("m", "parley.dev/inference", "true", others + 3));
        // It may have any label that it likes, in a namespace of its own.
        ends.put(
                "stranger",
                new End(
                        Map.of("app.kubernetes.io/name", "relay"),
                        Map.of("a", "b"),
                        others + 4,
                        false));
        ends.put("metadata", End.address("169.254.169.254"));
        return ends;
    }

    private static End pod(String label, String key, String value, String ip) {
        return new End(Map.of("k8s-app", label), Map.of(key, value), ip, false);
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
        ports.put("client", List.of("40000/UDP", "443/TCP", "8443/TCP"));
        ports.put("neighbour", List.of("443/TCP", "8443/TCP"));
        ports.put("redis elsewhere", List.of("6379/TCP", "6380/TCP"));
        ports.put("backend elsewhere", List.of("4317/TCP"));
        ports.put("model", List.of("7400/TCP"));
        ports.put("stranger", List.of("443/TCP", "6379/TCP", "7400/TCP", "40000/UDP"));
        ports.put("names", List.of("53/UDP", "53/TCP", "443/TCP"));
        ports.put("metadata", List.of("80/TCP", "3478/UDP"));
        return ports;
    }

    private static Set<String> passing(String overlay) {
        return passing(Manifests.rendered(overlay), Ranges.of(overlay));
    }

    private static Set<String> passing(Manifests manifests, Ranges ranges) {
        Policies policies = new Policies(manifests);
        Map<String, End> ends = ends(manifests, ranges);
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

    /** Those of the list that are not left out, and what the public ports mean. */
    private static Set<String> expected(Predicate<String> leftOut, List<String> publicPorts) {
        Set<String> expected = new TreeSet<>();
        for (String arrow : ARROWS) {
            if (!leftOut.test(arrow)) {
                expected.add(arrow);
                if (arrow.endsWith(" 53/UDP")) {
                    expected.add(arrow.replace("/UDP", "/TCP"));
                }
            }
        }
        // Who has no policy of its own is anyone, wherever it is.
        for (String port : publicPorts) {
            ANYONE.forEach(anyone -> expected.add(anyone + " -> " + port));
        }
        return expected;
    }

    private static Set<String> expectedOfRelayPods(Predicate<String> leftOut) {
        Set<String> expected = expected(leftOut, List.of("relay 3478/UDP", "signaling 8080/TCP"));
        // A client may have any port, and any address that is not private.
        for (String anyPublic : List.of("client", "neighbour")) {
            expected.add("relay -> " + anyPublic + " 9999/UDP");
        }
        return expected;
    }

    @Test
    void onlyTheArrowsPassWhereRelaysArePods() {
        assertThat(passing("cloud")).isEqualTo(expectedOfRelayPods(_ -> false));
    }

    @Test
    void whatIsElsewhereIsReachedByWhoNeedsIt() {
        Set<String> expected =
                expectedOfRelayPods(
                        arrow ->
                                arrow.contains("inference ")
                                        || arrow.contains("-> redis")
                                        || arrow.startsWith("inference"));
        expected.addAll(
                List.of(
                        "relay -> redis elsewhere 6379/TCP",
                        "relay -> redis elsewhere 6380/TCP",
                        "transceiver -> model 7400/TCP",
                        "collector -> backend elsewhere 4317/TCP",
                        "signaling -> client 443/TCP",
                        "signaling -> neighbour 443/TCP"));
        assertThat(passing("cloud-managed")).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "global-east", "global-west"})
    void onlyTheArrowsOfOtherPodsPassWhereRelaysUseTheNodesNetwork(String overlay) {
        Set<String> expected =
                expected(
                        arrow ->
                                arrow.startsWith("relay -> names")
                                        || arrow.startsWith("prometheus -> relay")
                                        || arrow.startsWith("relay -> client")
                                        || arrow.startsWith("client -> relay"),
                        List.of("signaling 8080/TCP"));
        // A node is nobody special to signaling.
        expected.add("relay -> signaling 8080/TCP");
        if (!overlay.equals("local")) {
            expected.add("neighbour -> signaling 8443/TCP");
        }
        assertThat(passing(overlay)).isEqualTo(expected);
    }

    /** Cilium's own kind says the same as the policies beside which it stands. */
    @Test
    void nodesAreKnownToCiliumByWhatTheyAre() throws IOException {
        assertThat(openings("relay-host-cilium", "endpointSelector", "toPorts"))
                .isNotEmpty()
                .isEqualTo(openings("relay-host", "podSelector", "ports"));
    }

    /** Pods, direction and ports of each rule of a component's policies. */
    private static Set<String> openings(String component, String selector, String ports)
            throws IOException {
        Set<String> openings = new TreeSet<>();
        Path file = Manifests.folder().resolve("components/" + component + "/policies.yaml");
        for (Object document : new Yaml().loadAll(Files.readString(file))) {
            JsonNode spec = new ObjectMapper().valueToTree(document).path("spec");
            for (String direction : List.of("ingress", "egress")) {
                for (JsonNode rule : spec.path(direction)) {
                    JsonNode list = rule.path(ports);
                    for (JsonNode port :
                            list.path(0).has("ports") ? list.path(0).path("ports") : list) {
                        openings.add(
                                spec.path(selector).path("matchLabels")
                                        + " "
                                        + direction
                                        + " "
                                        + port.path("port").asText()
                                        + "-"
                                        + port.path("endPort").asText()
                                        + port.path("protocol").asText());
                    }
                }
            }
        }
        return openings;
    }

    @Test
    void aPolicyLessOpensWhatItClosed() {
        Manifests all = Manifests.rendered("cloud");
        Manifests open =
                new Manifests(
                        all.all().stream()
                                .filter(r -> !r.getMetadata().getName().equals("nothing-else"))
                                .toList());
        assertThat(passing(open, Ranges.of("cloud"))).contains("redis -> client 443/TCP");
    }
}
