package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What must hold between resources, one line for each time that it does not. */
final class ClusterRules {
    private static final Set<String> PUBLIC = Set.of("relay 3478/UDP", "signaling 443/TCP");

    /** Open to addresses that are named, and to nobody else. */
    private static final Set<String> AMONG_CLUSTERS = Set.of("signaling-clusters 8443/TCP");

    /** Where there is no load balancer: for one machine. */
    private static final Set<String> PUBLIC_OF_A_NODE = Set.of("signaling 30080/TCP");

    /** RFC 5737: what components have where an overlay puts in its own. */
    private static final String NOBODYS = "192.0.2.0/24";

    private static final List<String> OF_ITS_VERSION = List.of("pod-template-hash");

    private final Manifests manifests;
    private final Map<String, Map<String, String>> secrets;
    private final List<String> broken = new ArrayList<>();

    private ClusterRules(Manifests manifests, Map<String, Map<String, String>> secrets) {
        this.manifests = manifests;
        this.secrets = secrets;
    }

    static List<String> broken(Manifests manifests, Map<String, Map<String, String>> secrets) {
        ClusterRules rules = new ClusterRules(manifests, secrets);
        rules.checkNamespaces();
        manifests.workloads().forEach(rules::check);
        manifests.of(Service.class).forEach(rules::check);
        manifests.of(PodDisruptionBudget.class).forEach(rules::check);
        manifests.of(NetworkPolicy.class).forEach(rules::check);
        manifests.of(HorizontalPodAutoscaler.class).forEach(rules::check);
        rules.checkUse();
        rules.checkClusterVariables();
        return rules.broken;
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            broken.add(what);
        }
    }

    private static String name(HasMetadata resource) {
        return resource.getKind() + " " + resource.getMetadata().getName();
    }

    private void checkNamespaces() {
        Set<String> seen = new HashSet<>();
        for (HasMetadata resource : manifests.all()) {
            require(seen.add(name(resource)), name(resource) + ": is defined once");
            boolean ofCluster = resource instanceof Namespace || resource instanceof PriorityClass;
            require(
                    ofCluster || "parley".equals(resource.getMetadata().getNamespace()),
                    name(resource) + ": is in the namespace parley");
        }
        boolean host = manifests.workloads().stream().anyMatch(Workload::onHostNetwork);
        String level =
                manifests
                        .find(Namespace.class, "parley")
                        .map(n -> n.getMetadata().getLabels())
                        .map(l -> l.get("pod-security.kubernetes.io/enforce"))
                        .orElse("missing");
        require(
                level.equals(host ? "privileged" : "restricted"),
                "Namespace parley: its pod security is as tight as can be, not " + level);
    }

    private void check(Workload workload) {
        require(
                matches(workload.selector(), workload.labels()),
                workload + ": its selector matches its pods");
        String priority = workload.pod().getPriorityClassName();
        require(
                priority == null || manifests.find(PriorityClass.class, priority).isPresent(),
                workload + ": its priority class " + priority + " exists");
        boolean many = workload.replicas() == null || workload.replicas() > 1;
        if (many && !workload.onHostNetwork()) {
            require(
                    manifests.of(PodDisruptionBudget.class).stream()
                            .anyMatch(b -> matches(b.getSpec().getSelector(), workload.labels())),
                    workload + ": has a disruption budget");
            var constraints = workload.pod().getTopologySpreadConstraints();
            require(
                    !constraints.isEmpty()
                            && constraints.stream()
                                    .allMatch(
                                            c -> matches(c.getLabelSelector(), workload.labels())),
                    workload + ": its pods are spread");
            require(
                    constraints.stream()
                            .allMatch(c -> OF_ITS_VERSION.equals(c.getMatchLabelKeys())),
                    workload + ": its pods are spread by version");
        }
        var affinity = workload.pod().getAffinity();
        if (affinity != null) {
            require(
                    affinity
                            .getPodAntiAffinity()
                            .getRequiredDuringSchedulingIgnoredDuringExecution()
                            .stream()
                            .allMatch(term -> OF_ITS_VERSION.equals(term.getMatchLabelKeys())),
                    workload + ": a new pod may start beside an old one");
        }
        for (var source : workload.container().getEnvFrom()) {
            String name = source.getConfigMapRef().getName();
            require(manifests.configMap(name).isPresent(), workload + ": no config map " + name);
        }
        workload.pod().getVolumes().forEach(volume -> check(workload, volume));
    }

    private void check(Workload workload, Volume volume) {
        if (volume.getConfigMap() != null) {
            String name = volume.getConfigMap().getName();
            require(manifests.configMap(name).isPresent(), workload + ": no config map " + name);
        }
        if (volume.getSecret() != null) {
            String name = volume.getSecret().getSecretName();
            boolean optional = Boolean.TRUE.equals(volume.getSecret().getOptional());
            boolean here = manifests.find(Secret.class, name).isPresent();
            require(
                    optional || here || secrets.containsKey(name),
                    workload + ": no secret " + name);
        }
    }

    private void check(Service service) {
        Map<String, String> selector = service.getSpec().getSelector();
        List<Workload> behind =
                manifests.workloads().stream()
                        .filter(w -> w.labels().entrySet().containsAll(selector.entrySet()))
                        .toList();
        require(behind.size() == 1, name(service) + ": selects the pods of one workload");
        for (ServicePort port : service.getSpec().getPorts()) {
            Object target = port.getTargetPort().getValue();
            require(
                    behind.stream()
                            .flatMap(w -> w.container().getPorts().stream())
                            .anyMatch(p -> isTarget(p, target, port)),
                    name(service) + ": port " + port.getPort() + " leads to one of its pods");
            String type = String.valueOf(service.getSpec().getType());
            String protocol = "/" + (port.getProtocol() == null ? "TCP" : port.getProtocol());
            String name = service.getMetadata().getName();
            switch (type) {
                case "LoadBalancer" -> {
                    String exposed = name + " " + port.getPort() + protocol;
                    boolean named = !service.getSpec().getLoadBalancerSourceRanges().isEmpty();
                    require(
                            PUBLIC.contains(exposed) || (named && AMONG_CLUSTERS.contains(exposed)),
                            name(service) + ": exposes " + exposed);
                    require(
                            "Local".equals(service.getSpec().getExternalTrafficPolicy()),
                            name(service) + ": keeps the client's address");
                }
                case "NodePort" -> {
                    String exposed = name + " " + port.getNodePort() + protocol;
                    require(
                            PUBLIC_OF_A_NODE.contains(exposed),
                            name(service) + ": exposes " + exposed);
                }
                default -> {}
            }
        }
    }

    private static boolean isTarget(ContainerPort declared, Object target, ServicePort port) {
        return (target.equals(declared.getName()) || target.equals(declared.getContainerPort()))
                && (port.getProtocol() == null
                        || port.getProtocol().equals(declared.getProtocol()));
    }

    private void check(HorizontalPodAutoscaler scaler) {
        String name = scaler.getSpec().getScaleTargetRef().getName();
        require(
                manifests.workloads().stream()
                        .anyMatch(w -> w.name().equals(name) && w.replicas() == null),
                name(scaler) + ": scales a deployment that names no number of its own");
        require(scaler.getSpec().getMinReplicas() >= 2, name(scaler) + ": keeps two at least");
    }

    private void check(PodDisruptionBudget budget) {
        requireMatch(budget, budget.getSpec().getSelector());
        require(
                "AlwaysAllow".equals(budget.getSpec().getUnhealthyPodEvictionPolicy()),
                name(budget) + ": lets go of pods that are not ready");
    }

    private void check(NetworkPolicy policy) {
        requireMatch(policy, policy.getSpec().getPodSelector());
        var spec = policy.getSpec();
        require(
                Stream.concat(
                                spec.getIngress().stream().flatMap(rule -> rule.getFrom().stream()),
                                spec.getEgress().stream().flatMap(rule -> rule.getTo().stream()))
                        .map(NetworkPolicyPeer::getIpBlock)
                        .noneMatch(block -> block != null && NOBODYS.equals(block.getCidr())),
                name(policy) + ": names the range of this cluster");
    }

    private void requireMatch(HasMetadata resource, LabelSelector selector) {
        require(
                manifests.workloads().stream().anyMatch(w -> matches(selector, w.labels())),
                name(resource) + ": its selector matches pods");
    }

    private void checkUse() {
        Set<String> used = new HashSet<>();
        for (Workload workload : manifests.workloads()) {
            workload.container()
                    .getEnvFrom()
                    .forEach(source -> used.add("ConfigMap " + source.getConfigMapRef().getName()));
            for (Volume volume : workload.pod().getVolumes()) {
                if (volume.getConfigMap() != null) {
                    used.add("ConfigMap " + volume.getConfigMap().getName());
                }
                if (volume.getSecret() != null) {
                    used.add("Secret " + volume.getSecret().getSecretName());
                }
            }
        }
        for (HasMetadata resource : manifests.all()) {
            if (resource instanceof ConfigMap || resource instanceof Secret) {
                require(used.contains(name(resource)), name(resource) + ": is used");
            }
        }
    }

    private void checkClusterVariables() {
        for (ConfigMap map : manifests.of(ConfigMap.class)) {
            if (map.getMetadata().getName().startsWith("cluster-")) {
                map.getData()
                        .keySet()
                        .forEach(
                                key ->
                                        require(
                                                PodConfig.anyKnows(key),
                                                name(map) + ": " + key + " is no option"));
            }
        }
    }

    /** Whether a selector takes a pod with these labels; an empty one takes all. */
    static boolean matches(LabelSelector selector, Map<String, String> labels) {
        boolean same =
                selector.getMatchLabels() == null
                        || labels.entrySet().containsAll(selector.getMatchLabels().entrySet());
        return same
                && selector.getMatchExpressions().stream()
                        .allMatch(
                                e ->
                                        switch (e.getOperator()) {
                                            case "In" ->
                                                    e.getValues().contains(labels.get(e.getKey()));
                                            case "Exists" -> labels.containsKey(e.getKey());
                                            default ->
                                                    throw new IllegalStateException(
                                                            e.getOperator());
                                        });
    }
}
