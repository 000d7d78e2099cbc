package dev.parley.e2e.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.runtime.config.Cidr;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Values that the API server refuses although its schema allows them: words of closed sets, ranges
 * of numbers, formats, and fields of which there is to be exactly one. Known by a field's name, or
 * by its parent's and its own.
 */
final class FieldRules {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern PORT_NAME = Pattern.compile("(?=.*[a-z])[a-z0-9-]{1,15}");
    private static final Pattern KEY =
            Pattern.compile(
                    "([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?");
    private static final Pattern LABEL_VALUE =
            Pattern.compile("([A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?");
    private static final Pattern COUNT_OR_PERCENT = Pattern.compile("\\d+|\\d+%");

    private static final Map<String, Set<String>> WORDS =
            Map.ofEntries(
                    Map.entry("protocol", Set.of("TCP", "UDP", "SCTP")),
                    Map.entry("imagePullPolicy", Set.of("Always", "IfNotPresent", "Never")),
                    Map.entry("externalTrafficPolicy", Set.of("Cluster", "Local")),
                    Map.entry("internalTrafficPolicy", Set.of("Cluster", "Local")),
                    Map.entry("sessionAffinity", Set.of("None", "ClientIP")),
                    Map.entry("whenUnsatisfiable", Set.of("DoNotSchedule", "ScheduleAnyway")),
                    Map.entry("effect", Set.of("NoSchedule", "PreferNoSchedule", "NoExecute")),
                    Map.entry("tolerations.operator", Set.of("Exists", "Equal")),
                    Map.entry(
                            "matchExpressions.operator",
                            Set.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")),
                    Map.entry("policyTypes", Set.of("Ingress", "Egress")),
                    Map.entry(
                            "unhealthyPodEvictionPolicy", Set.of("IfHealthyBudget", "AlwaysAllow")),
                    Map.entry("preemptionPolicy", Set.of("PreemptLowerPriority", "Never")),
                    Map.entry("medium", Set.of("", "Memory", "HugePages")),
                    Map.entry("scheme", Set.of("HTTP", "HTTPS")),
                    Map.entry("selectPolicy", Set.of("Max", "Min", "Disabled")),
                    Map.entry("policies.type", Set.of("Pods", "Percent")),
                    Map.entry("target.type", Set.of("Utilization", "Value", "AverageValue")),
                    Map.entry("strategy.type", Set.of("Recreate", "RollingUpdate")),
                    Map.entry("updateStrategy.type", Set.of("OnDelete", "RollingUpdate")),
                    Map.entry(
                            "seccompProfile.type",
                            Set.of("RuntimeDefault", "Unconfined", "Localhost")),
                    Map.entry(
                            "dnsPolicy",
                            Set.of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
                    Map.entry(
                            "spec.type",
                            Set.of("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")));

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private record Range(long least, long most) {}

    private static final Map<String, Range> RANGES =
            Map.ofEntries(
                    Map.entry("containerPort", new Range(1, 65_535)),
                    Map.entry("port", new Range(1, 65_535)),
                    Map.entry("targetPort", new Range(1, 65_535)),
                    Map.entry("endPort", new Range(1, 65_535)),
                    Map.entry("nodePort", new Range(30_000, 32_767)),
                    Map.entry("periodSeconds", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("timeoutSeconds", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("failureThreshold", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("terminationGracePeriodSeconds", new Range(0, Long.MAX_VALUE)),
                    Map.entry("minReadySeconds", new Range(0, Integer.MAX_VALUE)),
                    Map.entry("replicas", new Range(0, Integer.MAX_VALUE)),
                    Map.entry("minReplicas", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("maxReplicas", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("stabilizationWindowSeconds", new Range(0, 3_600)),
                    Map.entry("averageUtilization", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("weight", new Range(1, 100)),
                    Map.entry("maxSkew", new Range(1, Integer.MAX_VALUE)),
                    Map.entry("runAsUser", new Range(0, Integer.MAX_VALUE)),
                    Map.entry("runAsGroup", new Range(0, Integer.MAX_VALUE)),
                    Map.entry("fsGroup", new Range(0, Integer.MAX_VALUE)),
                    Map.entry("defaultMode", new Range(0, 0777)),
                    Map.entry("PriorityClass.value", new Range(-1_000_000_000, 1_000_000_000)));

    private static final Map<String, Predicate<String>> FORMATS =
            Map.ofEntries(
                    Map.entry("metadata.name", matches(NAME, 253)),
                    Map.entry("metadata.namespace", matches(LABEL, 63)),
                    Map.entry("containers.name", matches(LABEL, 63)),
                    Map.entry("volumes.name", matches(LABEL, 63)),
                    Map.entry("ports.name", matches(PORT_NAME, 15)),
                    Map.entry("env.name", name -> name.matches("[-._A-Za-z][-._A-Za-z0-9]*")),
                    Map.entry("topologyKey", matches(KEY, 317)),
                    Map.entry("maxSurge", matches(COUNT_OR_PERCENT, 20)),
                    Map.entry("maxUnavailable", matches(COUNT_OR_PERCENT, 20)),
                    Map.entry("minAvailable", matches(COUNT_OR_PERCENT, 20)),
                    Map.entry("mountPath", path -> path.startsWith("/") && !path.contains(":")),
                    Map.entry("ipBlock.cidr", FieldRules::isCidr),
                    Map.entry("except", FieldRules::isCidr),
                    Map.entry("loadBalancerSourceRanges", FieldRules::isCidr));

    /** Objects whose keys are names, by what each value has to be. */
    private static final Map<String, Predicate<String>> MAPS =
            Map.of(
                    "labels",
                    matches(LABEL_VALUE, 63),
                    "matchLabels",
                    matches(LABEL_VALUE, 63),
                    "nodeSelector",
                    matches(LABEL_VALUE, 63),
                    "annotations",
                    _ -> true,
                    "requests",
                    FieldRules::isQuantity,
                    "limits",
                    FieldRules::isQuantity);

    /** Of these there is to be one. */
    private static final Map<String, Set<String>> ONE_OF =
            Map.of(
                    "startupProbe", Set.of("exec", "grpc", "httpGet", "tcpSocket"),
                    "livenessProbe", Set.of("exec", "grpc", "httpGet", "tcpSocket"),
                    "readinessProbe", Set.of("exec", "grpc", "httpGet", "tcpSocket"),
                    "preStop", Set.of("exec", "httpGet", "sleep"),
                    "volumes", Set.of("configMap", "secret", "emptyDir", "projected"),
                    "metrics", Set.of("resource", "pods", "object", "external"),
                    "PodDisruptionBudget.spec", Set.of("minAvailable", "maxUnavailable"));

    private final List<String> broken = new ArrayList<>();
    private final HasMetadata resource;

    private FieldRules(HasMetadata resource) {
        this.resource = resource;
    }

    static List<String> broken(Manifests manifests) {
        List<String> broken = new ArrayList<>();
        for (HasMetadata resource : manifests.all()) {
            FieldRules rules = new FieldRules(resource);
            rules.check("", resource.getKind(), MAPPER.valueToTree(resource));
            broken.addAll(rules.broken);
        }
        return broken;
    }

    private void require(boolean holds, String field, JsonNode value, String what) {
        if (!holds) {
            broken.add(
                    "%s %s: %s is %s, which is no %s"
                            .formatted(
                                    resource.getKind(),
                                    resource.getMetadata().getName(),
                                    field,
                                    value,
                                    what));
        }
    }

    private void check(String parent, String field, JsonNode node) {
        if (node.isArray()) {
            node.forEach(element -> check(parent, field, element));
        } else if (node.isObject()) {
            checkObject(parent, field, node);
        } else {
            checkValue(parent + "." + field, field, node);
        }
    }

    private void checkObject(String parent, String field, JsonNode node) {
        Set<String> choice = ONE_OF.getOrDefault(parent + "." + field, ONE_OF.get(field));
        if (choice != null) {
            require(
                    choice.stream().filter(node::has).count() == 1,
                    field,
                    node,
                    "choice of one of " + choice);
        }
        if (field.equals("ipBlock")) {
            node.path("except").forEach(hole -> checkHole(node.path("cidr"), hole));
        }
        if (field.equals("rollingUpdate")) {
            require(
                    !isZero(node.path("maxSurge")) || !isZero(node.path("maxUnavailable")),
                    field,
                    node,
                    "way to begin");
        }
        Predicate<String> values = parent.isEmpty() ? null : MAPS.get(field);
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            String key = entry.getKey();
            if (values != null) {
                boolean named = KEY.matcher(key).matches();
                require(named, field, entry.getValue(), "value of a key, which \"" + key + "\"");
                boolean fits = values.test(entry.getValue().asText());
                require(fits, field + "." + key, entry.getValue(), "such value");
            } else if (!key.equals("data")) {
                check(field, key, entry.getValue());
            }
        }
    }

    private void checkValue(String path, String field, JsonNode value) {
        Set<String> words = WORDS.getOrDefault(path, WORDS.get(field));
        if (words != null) {
            require(words.contains(value.asText()), path, value, "word of " + words);
        }
        Range range = RANGES.getOrDefault(path, RANGES.get(field));
        if (range != null && value.isNumber()) {
            require(
                    value.asLong() >= range.least && value.asLong() <= range.most,
                    path,
                    value,
                    "number of " + range.least + " to " + range.most);
        }
        Predicate<String> format = FORMATS.getOrDefault(path, FORMATS.get(field));
        if (format != null) {
            require(format.test(value.asText()), path, value, "such name, address or number");
        }
    }

    private void checkHole(JsonNode range, JsonNode hole) {
        require(
                isCidr(range.asText())
                        && isCidr(hole.asText())
                        && isWithin(Cidr.parse(hole.asText()), Cidr.parse(range.asText())),
                "except",
                hole,
                "part of " + range);
    }

    private static boolean isWithin(Cidr hole, Cidr range) {
        return hole.prefixBits() > range.prefixBits() && range.contains(hole.high(), hole.low());
    }

    private static boolean isZero(JsonNode count) {
        return count.asText().equals("0") || count.asText().equals("0%");
    }

    private static Predicate<String> matches(Pattern pattern, int most) {
        return text -> text.length() <= most && pattern.matcher(text).matches();
    }

    private static boolean isCidr(String text) {
        try {
            return text.contains("/") && Cidr.parse(text).prefixBits() >= 0;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static boolean isQuantity(String text) {
        try {
            return Quantity.getAmountInBytes(new Quantity(text)).signum() >= 0;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
