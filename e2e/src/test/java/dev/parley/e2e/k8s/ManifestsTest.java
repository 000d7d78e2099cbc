package dev.parley.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** Every overlay holds to every rule, and each rule notices what breaks it. */
class ManifestsTest {
    private static final Map<String, Map<String, String>> SECRETS = secrets();

    /** What {@code k8s/secrets} defines, with values of no secrecy. */
    private static Map<String, Map<String, String>> secrets() {
        Map<String, String> values =
                Map.of(
                        "route_keys", "1=000102030405060708090a0b0c0d0e0f",
                        "route_key_id", "1",
                        "leg_keys", "1=0f0e0d0c0b0a09080706050403020100",
                        "leg_key_id", "1",
                        "call_id_key", "000102030405060708090a0b0c0d0e0f");
        Map<String, Map<String, String>> secrets = new HashMap<>();
        for (Object entry : list(kustomization(), "secretGenerator")) {
            Map<?, ?> secret = (Map<?, ?>) entry;
            Map<String, String> content = new HashMap<>();
            for (Object source : list(secret, "files")) {
                String key = String.valueOf(source).split("=", 2)[0];
                content.put(key, values.getOrDefault(key, ""));
            }
            secrets.put(String.valueOf(secret.get("name")), content);
        }
        secrets.put("redis-ca", Map.of("ca.crt", ""));
        return secrets;
    }

    private static Map<?, ?> kustomization() {
        try {
            return new Yaml()
                    .load(
                            Files.readString(
                                    Manifests.folder().resolve("secrets/kustomization.yaml")));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<?> list(Map<?, ?> of, String key) {
        return of.get(key) instanceof List<?> list ? list : List.of();
    }

    private static List<String> broken(Manifests manifests) {
        List<String> broken = new ArrayList<>(ContainerRules.broken(manifests, SECRETS));
        broken.addAll(ClusterRules.broken(manifests, SECRETS));
        broken.addAll(FieldRules.broken(manifests));
        return broken;
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "cloud", "cloud-managed", "global-east", "global-west"})
    void everyRuleHolds(String overlay) {
        assertThat(broken(Manifests.rendered(overlay))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "(none)",
            textBlock =
                    """
                    cloud | Deployment relay | image                              | a/parley:latest          | its image a/parley:latest is a certain one
                    cloud | Deployment relay | image                              | a:5000/parley            | its image a:5000/parley is a certain one
                    cloud | Deployment relay | ports/0/hostPort                   | 3478                     | takes no port of the node
                    local | DaemonSet relay  | ports                              | [{containerPort: 3478}]  | declares no port that keeps the next one off its node
                    cloud | Deployment relay | ports/4                            | {containerPort: 3479}    | declares its few ports and no range
                    cloud | Deployment relay | startupProbe                       | (none)                   | has a startup probe
                    cloud | Deployment relay | livenessProbe                      | (none)                   | has a liveness probe
                    cloud | Deployment relay | readinessProbe                     | (none)                   | has a readiness probe
                    cloud | Deployment relay | readinessProbe/httpGet/port        | 7181                     | its readiness probe's port exists
                    cloud | Deployment transceiver | livenessProbe/grpc/port      | 7301                     | its liveness probe's port exists
                    cloud | Deployment relay | livenessProbe/httpGet/host         | 127.0.0.1                | its liveness probe asks the pod, on the node's network the node itself
                    local | DaemonSet relay  | livenessProbe/httpGet/host         | (none)                   | its liveness probe asks the pod, on the node's network the node itself
                    cloud | Deployment relay | resources                          | (none)                   | says what it needs
                    cloud | Deployment relay | resources/requests/cpu             | (none)                   | requests processor and memory
                    cloud | Deployment relay | resources/limits/memory            | 1Gi                      | is limited to the memory that it requests, and not throttled
                    cloud | Deployment relay | resources/limits/cpu               | 1                        | is limited to the memory that it requests, and not throttled
                    cloud | Deployment relay | ../../securityContext/runAsNonRoot | (none)                   | is not root and has a seccomp profile
                    cloud | Deployment relay | ../../securityContext/seccompProfile/type | Unconfined        | is not root and has a seccomp profile
                    cloud | Deployment relay | securityContext/readOnlyRootFilesystem | false                | cannot write its root file system and has no capability
                    cloud | Deployment relay | securityContext/capabilities/add   | [SYS_NICE]               | cannot write its root file system and has no capability
                    cloud | Deployment relay | ../../automountServiceAccountToken | true                     | has no token of the cluster's API
                    cloud | Deployment relay | ../../terminationGracePeriodSeconds | 30                      | has time to end well: more than 30 s
                    cloud | Deployment transceiver | ../../terminationGracePeriodSeconds | 7200              | has time to end well: more than 7240 s
                    cloud | Deployment inference | ../../terminationGracePeriodSeconds | 30                  | has time to end well: more than 65 s
                    local | Deployment transceiver | env/1/value                  | 6m                       | drains until the longest call has ended
                    cloud | Deployment relay | env/20                             | {name: PARLEY_WORKRES, value: "1"} | PARLEY_WORKRES is an option of relay
                    cloud | Deployment relay | env/20                             | {name: PARLEY_UPSTREAM_ADDRESS, value: "127.0.0.1:1"} | PARLEY_UPSTREAM_ADDRESS is set once
                    cloud | Deployment relay | env/0                              | {name: PARLEY_WORKERS, value: $(CORES)} | PARLEY_WORKERS refers to CORES before it
                    cloud | Deployment relay | env/20                             | {name: PARLEY_WORKERS, value: many} | workers: "many" is not a whole number
                    cloud | Deployment relay | env/20                             | {name: PARLEY_ROUTE_KEYS_FILE, value: /opt/parley/none} | route_keys: the file
                    cloud | Deployment relay | ../../volumes/0/configMap/name     | relay                    | no config map relay
                    cloud | Deployment relay | ../../volumes/1/secret/secretName  | keys                     | no secret keys
                    cloud | Deployment relay | ../../volumes/1/secret/items/0/key | route_key                | route-keys has no key route_key
                    cloud | Deployment relay | envFrom/0/configMapRef/name        | cluster                  | no config map cluster
                    cloud | Deployment relay | ../../initContainers               | [{name: a, image: a}]    | has no init container
                    cloud | Deployment relay | ../../priorityClassName            | highest                  | its priority class highest exists
                    cloud | Deployment relay | ../../topologySpreadConstraints    | []                       | its pods are spread
                    cloud | Deployment relay | /spec/selector/matchLabels/a       | b                        | its selector matches its pods
                    cloud | PodDisruptionBudget relay | /spec/selector/matchLabels | {a: b}                  | its selector matches pods
                    cloud | PodDisruptionBudget relay | /spec/selector/matchLabels | {a: b}                  | Deployment relay: has a disruption budget
                    cloud | NetworkPolicy relay | /spec/podSelector/matchLabels   | {a: b}                   | its selector matches pods
                    cloud | Service relay    | /spec/selector                     | {a: b}                   | selects the pods of one workload
                    cloud | Service relay    | /spec/ports/0/targetPort           | medai                    | port 3478 leads to one of its pods
                    cloud | Service relay    | /spec/ports/0/protocol             | TCP                      | exposes relay 3478/TCP
                    cloud | Service transceiver | /spec/type                      | LoadBalancer             | exposes transceiver 7300/TCP
                    global-east | Service signaling-clusters | /spec/loadBalancerSourceRanges | []               | exposes signaling-clusters 8443/TCP
                    global-east | NetworkPolicy redis-host-relays | /spec/ingress/0/from/0/ipBlock/cidr | 192.0.2.0/24 | names the range of this cluster
                    global-east | DaemonSet relay | ../../securityContext/runAsUser | 65532              | is a user of its own on the node's network
                    cloud | Deployment signaling | resources/limits/memory | 512Mi                      | is given the memory that its JVM may take
                    cloud | Deployment relay | ../../volumes/3/emptyDir/medium    | (none)                   | waits for no disk
                    cloud | Deployment relay | ../../topologySpreadConstraints/0/matchLabelKeys | (none)     | its pods are spread by version
                    cloud | Deployment relay | ../../affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/matchLabelKeys | (none) | a new pod may start beside an old one
                    cloud | Deployment transceiver | /spec/template/metadata/annotations/karpenter.sh~1do-not-disrupt | (none) | is not moved to save a node
                    cloud | PodDisruptionBudget relay | /spec/unhealthyPodEvictionPolicy | IfHealthyBudget   | lets go of pods that are not ready
                    cloud | HorizontalPodAutoscaler relay | /spec/metrics/1/resource/target/averageUtilization | 50 | is scaled before its workers are full
                    cloud | Deployment collector | livenessProbe/httpGet/port     | 13134                    | its liveness probe's port exists
                    cloud | Service relay    | /spec/externalTrafficPolicy        | Cluster                  | keeps the client's address
                    local | Service signaling | /spec/ports/0/nodePort            | 30081                    | exposes signaling 30081/TCP
                    cloud | HorizontalPodAutoscaler relay | /spec/scaleTargetRef/name | redis                | scales a deployment that names no number of its own
                    cloud | HorizontalPodAutoscaler relay | /spec/minReplicas      | 1                        | keeps two at least
                    cloud | Namespace parley | /metadata/labels/pod-security.kubernetes.io~1enforce | baseline | its pod security is as tight as can be
                    cloud | Service relay    | /metadata/namespace                | default                  | is in the namespace parley
                    cloud | Service signaling | /metadata/name                    | relay                    | Service relay: is defined once
                    """)
    void noticesWhatBreaksOne(
            String overlay, String resource, String path, String value, String complaint) {
        Manifests changed = Changed.of(Manifests.text(overlay), resource, path, value);
        assertThat(broken(changed)).anyMatch(line -> line.contains(complaint));
    }

    /** What the API server refuses though its schema allows it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "(none)",
            textBlock =
                    """
                    Deployment relay | ports/0/protocol                        | Udp             | ports.protocol
                    Deployment relay | ports/0/containerPort                   | 70000           | ports.containerPort
                    Deployment relay | ports/0/name                            | media_of_relays | ports.name
                    Deployment relay | imagePullPolicy                         | Sometimes       | imagePullPolicy
                    Deployment relay | livenessProbe/periodSeconds             | 0               | periodSeconds
                    Deployment relay | livenessProbe/exec                      | {command: [x]}  | livenessProbe
                    Deployment relay | env/0/name                              | a b             | env.name
                    Deployment relay | volumeMounts/0/mountPath                | opt             | mountPath
                    Deployment relay | resources/requests/memory               | 512 MB          | requests.memory
                    Deployment relay | securityContext/seccompProfile          | {type: Default} | seccompProfile.type
                    Deployment relay | lifecycle/preStop/exec                  | {command: [x]}  | preStop
                    Deployment relay | ../../topologySpreadConstraints/0/maxSkew | 0             | maxSkew
                    Deployment relay | ../../topologySpreadConstraints/0/whenUnsatisfiable | Wait | whenUnsatisfiable
                    Deployment relay | ../../volumes/0/secret                  | {secretName: x} | volumes
                    Deployment relay | ../../volumes/0/name                    | Config          | volumes.name
                    Deployment relay | /spec/strategy/type                     | Rolling         | strategy.type
                    Deployment relay | /spec/strategy/rollingUpdate/maxSurge   | 0               | rollingUpdate
                    Deployment transceiver | /spec/strategy/rollingUpdate/maxSurge | half         | maxSurge
                    Deployment relay | /metadata/name                          | Relay           | metadata.name
                    Deployment relay | /metadata/labels/a                      | b c             | labels.a
                    Deployment relay | /metadata/annotations/a b               | c               | annotations
                    Service relay    | /spec/type                              | Balancer        | spec.type
                    Service relay    | /spec/externalTrafficPolicy             | local           | externalTrafficPolicy
                    Service relay    | /spec/ports/0/nodePort                  | 3478            | nodePort
                    NetworkPolicy relay | /spec/policyTypes/0                  | ingress         | policyTypes
                    NetworkPolicy relay | /spec/egress/1/to/0/ipBlock/except/0 | 10.0.0.0        | except
                    NetworkPolicy relay | /spec/egress/1/to/0/ipBlock/cidr     | 10.0.0.0/8      | except
                    PodDisruptionBudget relay | /spec/minAvailable             | 1               | choice of one
                    PodDisruptionBudget relay | /spec/unhealthyPodEvictionPolicy | Always        | unhealthyPodEvictionPolicy
                    HorizontalPodAutoscaler relay | /spec/maxReplicas          | 0               | maxReplicas
                    HorizontalPodAutoscaler relay | /spec/metrics/1/resource/target/type | Average | target.type
                    PriorityClass parley-media | /value                        | 2000000000      | PriorityClass.value
                    """)
    void noticesValuesThatKubernetesRefuses(
            String resource, String path, String value, String field) {
        Manifests changed = Changed.of(Manifests.text("cloud"), resource, path, value);
        assertThat(FieldRules.broken(changed)).anyMatch(line -> line.contains(field));
    }

    @Test
    void noticesVariablesOfTheClusterThatAreNoOption() {
        Manifests changed =
                Manifests.parse(
                        Manifests.text("cloud")
                                .replace("  PARLEY_CLUSTER_ID:", "  PARLEY_CLUTSER_ID:"));
        assertThat(broken(changed))
                .anyMatch(line -> line.endsWith("PARLEY_CLUTSER_ID is no option"));
    }

    @Test
    void noticesWhatNobodyUses() {
        Manifests changed =
                Manifests.parse(
                        Manifests.text("cloud")
                                + """
                                ---
                                apiVersion: v1
                                kind: ConfigMap
                                metadata: {name: more, namespace: parley}
                                """);
        assertThat(broken(changed)).containsExactly("ConfigMap more: is used");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "(none)",
            textBlock =
                    """
                    Deployment relay | imagePullPolice            | Always | imagePullPolice
                    Deployment relay | livenessProbe/grpc         | {prot: 1} | prot
                    Deployment relay | ../../hostNetwork          | often  | hostNetwork
                    Service relay    | /spec/externalTrafikPolicy | Local  | externalTrafikPolicy
                    Service relay    | /spec/ports/0/port         | many   | port
                    Service relay    | /kind                      | Servis | unknown kind v1 Servis
                    Service relay    | /spec/ports/0/port         | (none) | port
                    Deployment relay | /spec/selector             | (none) | selector
                    Deployment relay | name                       | (none) | name
                    Deployment relay | volumeMounts/0/mountPath   | (none) | mountPath
                    Deployment relay | env/0/name                 | (none) | name
                    Deployment transceiver | livenessProbe/grpc/port | (none) | port
                    Deployment relay | ../../topologySpreadConstraints/0/topologyKey | (none) | topologyKey
                    HorizontalPodAutoscaler relay | /spec/maxReplicas | (none) | maxReplicas
                    HorizontalPodAutoscaler relay | /spec/metrics/0/type | (none) | type
                    NetworkPolicy relay | /spec/egress/1/to/0/ipBlock/cidr | (none) | cidr
                    PriorityClass parley-media | /value | (none) | value
                    """)
    void refusesWhatKubernetesDoesNotKnow(
            String resource, String path, @Nullable String value, String named) {
        String yaml = Manifests.text("cloud");
        assertThatThrownBy(() -> Changed.of(yaml, resource, path, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }

    /** Which traces are kept does not depend on where one looks; how many fit does. */
    @Test
    void theClustersCollectorKeepsTheTracesThatTheOtherKeeps() throws IOException {
        Path own = Manifests.folder().resolve("components/telemetry/config/collector.yaml");
        Path other = Manifests.folder().resolveSibling("otel/deploy/collector/config.yaml");
        for (String key : List.of("decision_wait", "policies")) {
            assertThat(sampling(own, key)).isNotEqualTo("").isEqualTo(sampling(other, key));
        }
    }

    private static String sampling(Path config, String key) throws IOException {
        return new ObjectMapper()
                .valueToTree(new Yaml().load(Files.readString(config)))
                .at("/processors/tail_sampling/" + key)
                .toString();
    }
}
