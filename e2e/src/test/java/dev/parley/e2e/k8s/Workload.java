package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.IntOrString;
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
 * @param recreate whether old pods end before new ones begin
 * @param mayBeMore how many pods an update may have beside those that are wanted, or a share
 * @param mayBeLess how many of those it may do without meanwhile
 * @param minReadySeconds how long a new pod must be ready before an old one goes
 */
record Workload(
        String kind,
        String name,
        @Nullable Integer replicas,
        LabelSelector selector,
        PodTemplateSpec template,
        boolean recreate,
        IntOrString mayBeMore,
        IntOrString mayBeLess,
        int minReadySeconds) {
    // What Kubernetes takes where a manifest says nothing.
    private static final IntOrString QUARTER = new IntOrString("25%");
    private static final IntOrString NONE = new IntOrString(0);
    private static final IntOrString ONE = new IntOrString(1);

    private static final String JVM = "@/opt/parley/jvm/";

    static Workload of(Deployment deployment) {
        var spec = deployment.getSpec();
        var update = spec.getStrategy() == null ? null : spec.getStrategy().getRollingUpdate();
        return new Workload(
                "Deployment",
                deployment.getMetadata().getName(),
                spec.getReplicas(),
                spec.getSelector(),
                spec.getTemplate(),
                spec.getStrategy() != null && "Recreate".equals(spec.getStrategy().getType()),
                update == null ? QUARTER : or(update.getMaxSurge(), QUARTER),
                update == null ? QUARTER : or(update.getMaxUnavailable(), QUARTER),
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
                false,
                update == null ? NONE : or(update.getMaxSurge(), NONE),
                update == null ? ONE : or(update.getMaxUnavailable(), ONE),
                orZero(spec.getMinReadySeconds()));
    }

    private static IntOrString or(@Nullable IntOrString given, IntOrString otherwise) {
        return given == null ? otherwise : given;
    }

    /** Whether a new pod starts beside the old one. */
    boolean surge() {
        return !recreate && maxSurge(1) > 0;
    }

    /** So many pods more than are wanted an update may have. */
    int maxSurge(int wanted) {
        return (int) Math.ceil(share(mayBeMore, wanted));
    }

    /** So many fewer may be available. */
    int maxUnavailable(int wanted) {
        return (int) share(mayBeLess, wanted);
    }

    private static double share(IntOrString number, int of) {
        return number.getIntVal() != null
                ? number.getIntVal()
                : Integer.parseInt(number.getStrVal().replace("%", "")) * of / 100.0;
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
