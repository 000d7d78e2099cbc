package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The relays of the overlay {@code cloud}, pods behind a balancer, with their policies, in the
 * overlay {@code local}, whose signaling asks callers for nothing.
 */
final class CloudRelays {
    private static final Set<String> SECRETS = Set.of("route-keys", "redis");

    private CloudRelays() {}

    static Manifests manifests() {
        List<HasMetadata> all = new ArrayList<>();
        for (HasMetadata resource : Manifests.rendered("local").all()) {
            if (!isOfRelays(resource)) {
                all.add(resource);
            }
        }
        for (HasMetadata resource : Manifests.rendered("cloud").all()) {
            String name = resource.getMetadata().getName();
            if (isOfRelays(resource) || name.matches("cluster-.*|relay(-.*)?")) {
                all.removeIf(other -> isSame(resource, other));
                all.add(resource);
            }
        }
        Manifests manifests = new Manifests(all);
        // All are of the one cluster, by whichever name they look for what it is.
        List<ConfigMap> clusters =
                manifests.of(ConfigMap.class).stream()
                        .filter(map -> map.getMetadata().getName().startsWith("cluster-"))
                        .toList();
        clusters.getFirst().setData(clusters.getLast().getData());
        manifests
                .find(Deployment.class, "signaling")
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getEnv()
                .forEach(CloudRelays::advertise);
        return manifests;
    }

    private static void advertise(EnvVar variable) {
        if (variable.getName().equals("PARLEY_RELAY_ADDRESSES")) {
            variable.setValue(NodeNetwork.BALANCER + ":3478");
        }
    }

    private static boolean isOfRelays(HasMetadata resource) {
        String name = resource.getMetadata().getName();
        return resource instanceof DaemonSet
                || (resource instanceof NetworkPolicy
                        && (name.endsWith("-host-relays") || name.equals("relay")));
    }

    private static boolean isSame(HasMetadata one, HasMetadata other) {
        return one.getKind().equals(other.getKind())
                && one.getMetadata().getName().equals(other.getMetadata().getName());
    }

    /** What the cloud's pods look for by names without a digest. */
    static Map<String, Map<String, String>> secrets(Manifests manifests) {
        Map<String, Map<String, String>> secrets = new HashMap<>();
        for (Secret secret : manifests.of(Secret.class)) {
            for (String name : SECRETS) {
                if (secret.getMetadata().getName().startsWith(name + "-")) {
                    secrets.put(name, Pod.decoded(secret));
                }
            }
        }
        return secrets;
    }
}
