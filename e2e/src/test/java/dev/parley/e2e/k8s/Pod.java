package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One pod of a workload with its addresses: what its container is started with, worked out as the
 * kubelet does.
 *
 * @param secrets those that are not among the manifests, by name and key
 */
record Pod(
        Manifests manifests,
        Map<String, Map<String, String>> secrets,
        Workload workload,
        String name,
        String podIp,
        String hostIp) {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Za-z_][A-Za-z0-9_]*)\\)");

    private Container container() {
        return workload.container();
    }

    /**
     * The container's environment.
     *
     * @throws IllegalStateException when something that it refers to is not there
     */
    Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        for (var source : container().getEnvFrom()) {
            environment.putAll(content(source.getConfigMapRef().getName()));
        }
        for (EnvVar variable : container().getEnv()) {
            String value =
                    variable.getValueFrom() == null
                            ? expand(String.valueOf(variable.getValue()), environment)
                            : value(variable.getValueFrom());
            environment.put(variable.getName(), value);
        }
        return environment;
    }

    // A reference to what is not defined yet stays as it is written.
    private static String expand(String text, Map<String, String> environment) {
        return REFERENCE
                .matcher(text)
                .replaceAll(
                        match ->
                                Matcher.quoteReplacement(
                                        environment.getOrDefault(match.group(1), match.group())));
    }

    private String value(EnvVarSource source) {
        if (source.getFieldRef() != null) {
            return switch (source.getFieldRef().getFieldPath()) {
                case "status.podIP" -> podIp;
                case "status.hostIP" -> hostIp;
                case "metadata.name" -> name;
                case "metadata.namespace" -> "parley";
                default -> throw new IllegalStateException(source.getFieldRef().getFieldPath());
            };
        }
        if (source.getResourceFieldRef() != null
                && source.getResourceFieldRef().getResource().equals("requests.cpu")) {
            var resources = container().getResources();
            Quantity cpu = resources == null ? null : resources.getRequests().get("cpu");
            if (cpu == null) {
                throw new IllegalStateException("it requests no processor");
            }
            BigDecimal cores = Quantity.getAmountInBytes(cpu);
            return cores.setScale(0, RoundingMode.CEILING).toPlainString();
        }
        throw new IllegalStateException("no such source is known here: " + source);
    }

    private Map<String, String> content(String configMap) {
        return manifests
                .configMap(configMap)
                .orElseThrow(() -> new IllegalStateException("no config map " + configMap));
    }

    /**
     * A secret's content by key, wherever it is defined.
     *
     * @throws IllegalStateException when it is nowhere
     */
    Map<String, String> secret(String secret) {
        return manifests
                .find(Secret.class, secret)
                .map(Pod::decoded)
                .or(() -> Optional.ofNullable(secrets.get(secret)))
                .orElseThrow(() -> new IllegalStateException("no secret " + secret));
    }

    /** A secret's content as text. */
    static Map<String, String> decoded(Secret secret) {
        Map<String, String> texts = new TreeMap<>();
        secret.getData()
                .forEach(
                        (key, data) ->
                                texts.put(
                                        key,
                                        new String(
                                                Base64.getMimeDecoder().decode(data),
                                                StandardCharsets.UTF_8)));
        return texts;
    }

    /**
     * Writes the mounted config maps and secrets below a folder, at the paths that they have in the
     * container.
     *
     * @throws IllegalStateException when one, or a key of one, is not there
     */
    void writeFiles(Path root) throws IOException {
        for (VolumeMount mount : container().getVolumeMounts()) {
            Path folder = root.resolve(mount.getMountPath().substring(1));
            Files.createDirectories(folder);
            Volume volume = volume(mount.getName());
            if (volume.getConfigMap() != null) {
                String name = volume.getConfigMap().getName();
                write(folder, name, content(name), volume.getConfigMap().getItems());
            } else if (volume.getSecret() != null && isThere(volume.getSecret())) {
                String name = volume.getSecret().getSecretName();
                write(folder, name, secret(name), volume.getSecret().getItems());
            }
        }
    }

    private boolean isThere(SecretVolumeSource source) {
        String name = source.getSecretName();
        return !Boolean.TRUE.equals(source.getOptional())
                || secrets.containsKey(name)
                || manifests.find(Secret.class, name).isPresent();
    }

    private Volume volume(String volume) {
        return workload.pod().getVolumes().stream()
                .filter(v -> v.getName().equals(volume))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no volume " + volume));
    }

    private static void write(
            Path folder, String source, Map<String, String> content, List<KeyToPath> items)
            throws IOException {
        Map<String, String> paths = new LinkedHashMap<>();
        content.keySet().forEach(key -> paths.put(key, key));
        if (!items.isEmpty()) {
            paths.clear();
            items.forEach(item -> paths.put(item.getKey(), item.getPath()));
        }
        for (Map.Entry<String, String> path : paths.entrySet()) {
            String text = content.get(path.getKey());
            if (text == null) {
                throw new IllegalStateException(source + " has no key " + path.getKey());
            }
            Files.writeString(folder.resolve(path.getValue()), text);
        }
    }
}
