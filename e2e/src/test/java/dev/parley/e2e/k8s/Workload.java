package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Deployment or a DaemonSet, as far as they are alike.
 *
 * @param replicas null where a scaler, or the number of nodes, says it
 * @param surge whether a new pod starts beside the old one
 * @param minReadySeconds how long a new pod must be ready before an old one goes
 */
record Workload(
        String kind,
        String name,
        @Nullable Integer replicas,
        LabelSelector selector,
        PodTemplateSpec template,
        boolean surge,
        int minReadySeconds) {
    private static final String JVM = "@/opt/parley/jvm/";

    static Workload of(Deployment deployment) {
        var spec = deployment.getSpec();
        return new Workload(
                "Deployment",
                deployment.getMetadata().getName(),
                spec.getReplicas(),
                spec.getSelector(),
                spec.getTemplate(),
                spec.getStrategy() == null || !"Recreate".equals(spec.getStrategy().getType()),
                orZero(spec.getMinReadySeconds()));
    }

    static Workload of(DaemonSet set) {
        var spec = set.getSpec();
        var update = spec.getUpdateStrategy().getRollingUpdate();
        return new Workload(
                "DaemonSet",
                set.getMetadata().getName(),
                null,
                spec.getSelector(),
                spec.getTemplate(),
                update != null && update.getMaxSurge() != null,
                orZero(spec.getMinReadySeconds()));
    }

    private static int orZero(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    PodSpec pod() {
        return template.getSpec();
    }

    Map<String, String> labels() {
        return template.getMetadata().getLabels();
    }

    /** The only one. */
    Container container() {
        return pod().getContainers().getFirst();
    }

    boolean onHostNetwork() {
        return Boolean.TRUE.equals(pod().getHostNetwork());
    }

    /** Which of our services runs in it; empty when it is none of ours. */
    Optional<String> service() {
        return container().getCommand().stream()
                .filter(word -> word.startsWith(JVM))
                .map(word -> word.substring(JVM.length()))
                .findFirst();
    }

    @Override
    public String toString() {
        return kind + " " + name;
    }
}
