package dev.parley.e2e.k8s;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Everything that one rendered overlay puts into a cluster, checked against Kubernetes' own schema
 * and types: a field that is missing or that they do not have, or a value of another type, is
 * refused.
 *
 * @param all in the order of the file
 */
record Manifests(List<HasMetadata> all) {
    private static final Map<String, Class<? extends HasMetadata>> TYPES =
            Map.ofEntries(
                    Map.entry("v1 Namespace", Namespace.class),
                    Map.entry("v1 ConfigMap", ConfigMap.class),
                    Map.entry("v1 Secret", Secret.class),
                    Map.entry("v1 Service", Service.class),
                    Map.entry("apps/v1 Deployment", Deployment.class),
                    Map.entry("apps/v1 DaemonSet", DaemonSet.class),
                    Map.entry(
                            "autoscaling/v2 HorizontalPodAutoscaler",
                            HorizontalPodAutoscaler.class),
                    Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
                    Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
                    Map.entry("scheduling.k8s.io/v1 PriorityClass", PriorityClass.class));

    private static final JsonMapper STRICT =
            JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .annotationIntrospector(new WithoutCatchAll())
                    .build();

    /** The model keeps fields that it does not know in a map; here they are errors. */
    private static final class WithoutCatchAll extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasAnySetter(Annotated member) {
            return false;
        }

        @Override
        public Boolean hasAnyGetter(Annotated member) {
            return false;
        }

        @Override
        public boolean hasIgnoreMarker(AnnotatedMember member) {
            return member.getName().contains("dditionalPropert") || super.hasIgnoreMarker(member);
        }
    }

    /** Where {@code k8s/} is, from the module's folder or the repository's. */
    static Path folder() {
        Path beside = Path.of("..", "k8s");
        return (Files.isDirectory(beside) ? beside : Path.of("k8s")).toAbsolutePath().normalize();
    }

    /** Reads what {@code k8s/render} has made of an overlay. */
    static Manifests rendered(String overlay) {
        return parse(text(overlay));
    }

    /** The same as text. */
    static String text(String overlay) {
        try {
            return Files.readString(folder().resolve("rendered").resolve(overlay + ".yaml"));
        } catch (IOException e) {
            throw new AssertionError("run k8s/render", e);
        }
    }

    /**
     * Reads documents.
     *
     * @throws IllegalArgumentException when one is not what Kubernetes takes; the message says
     *     where
     */
    static Manifests parse(String yaml) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        List<HasMetadata> all = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(options)).loadAll(yaml)) {
            if (!(document instanceof Map<?, ?> map)) {
                throw new IllegalArgumentException("not a resource: " + document);
            }
            String kind = map.get("apiVersion") + " " + map.get("kind");
            Class<? extends HasMetadata> type = TYPES.get(kind);
            if (type == null) {
                throw new IllegalArgumentException("unknown kind " + kind);
            }
            KubernetesSchema.check(map);
            all.add(STRICT.convertValue(map, type));
        }
        return new Manifests(List.copyOf(all));
    }

    <T extends HasMetadata> List<T> of(Class<T> type) {
        return all.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends HasMetadata> Optional<T> find(Class<T> type, String name) {
        return of(type).stream().filter(r -> r.getMetadata().getName().equals(name)).findFirst();
    }

    /** Whatever runs pods. */
    List<Workload> workloads() {
        List<Workload> workloads = new ArrayList<>();
        of(Deployment.class).forEach(d -> workloads.add(Workload.of(d)));
        of(DaemonSet.class).forEach(d -> workloads.add(Workload.of(d)));
        return workloads;
    }

    /** The one of this name. */
    Workload workload(String name) {
        return workloads().stream().filter(w -> w.name().equals(name)).findFirst().orElseThrow();
    }

    /** Has a deployment begin with so many pods. */
    void replicas(String deployment, int replicas) {
        find(Deployment.class, deployment).orElseThrow().getSpec().setReplicas(replicas);
    }

    /** Content of a config map or secret by key; empty when there is none of this name. */
    Optional<Map<String, String>> configMap(String name) {
        return find(ConfigMap.class, name).map(ConfigMap::getData);
    }
}
