package dev.parley.e2e.k8s;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PriorityClass;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.io.IOException;
import java.util.Map;

/**
 * Kubernetes' own OpenAPI schema, by the classes that its Java client is generated into: fields
 * that it requires, and no others than it has.
 */
final class KubernetesSchema {
    private static final Map<String, Check> CHECKS =
            Map.ofEntries(
                    Map.entry("Namespace", V1Namespace::validateJsonElement),
                    Map.entry("ConfigMap", V1ConfigMap::validateJsonElement),
                    Map.entry("Secret", V1Secret::validateJsonElement),
                    Map.entry("Service", V1Service::validateJsonElement),
                    Map.entry("Deployment", V1Deployment::validateJsonElement),
                    Map.entry("DaemonSet", V1DaemonSet::validateJsonElement),
                    Map.entry(
                            "HorizontalPodAutoscaler",
                            V2HorizontalPodAutoscaler::validateJsonElement),
                    Map.entry("NetworkPolicy", V1NetworkPolicy::validateJsonElement),
                    Map.entry("PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement),
                    Map.entry("PriorityClass", V1PriorityClass::validateJsonElement));

    private static final Gson GSON = new Gson();

    /** What each generated class has. */
    private interface Check {
        void validate(JsonElement resource) throws IOException;
    }

    private KubernetesSchema() {}

    /**
     * Checks a resource.
     *
     * @throws IllegalArgumentException when it is not as the schema has it; the message names the
     *     field
     */
    static void check(Map<?, ?> resource) {
        String kind = String.valueOf(resource.get("kind"));
        Check check = CHECKS.get(kind);
        if (check == null) {
            throw new IllegalArgumentException("no schema of " + kind);
        }
        try {
            check.validate(GSON.toJsonTree(resource));
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
