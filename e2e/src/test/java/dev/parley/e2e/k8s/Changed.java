package dev.parley.e2e.k8s;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** Manifests with one value changed. */
final class Changed {
    private static final String CONTAINER = "/spec/template/spec/containers/0/";
    private static final String POD = "/spec/template/spec/";

    private Changed() {}

    /**
     * Changes them.
     *
     * @param resource kind and name
     * @param path from the container or, behind {@code ../../}, its pod; beginning with a slash,
     *     from the resource
     * @param value as YAML; null to remove what is there
     */
    static Manifests of(String yaml, String resource, String path, @Nullable String value) {
        List<Object> documents = new ArrayList<>();
        new Yaml().loadAll(yaml).forEach(documents::add);
        Map<?, ?> found =
                documents.stream()
                        .map(document -> (Map<?, ?>) document)
                        .filter(map -> name(map).equals(resource))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no " + resource));
        String whole =
                path.startsWith("../../")
                        ? POD + path.substring("../../".length())
                        : path.startsWith("/") ? path : CONTAINER + path;
        Object parsed = value == null ? null : new Yaml().load(value);
        put(found, List.of(whole.substring(1).split("/")), parsed);
        return Manifests.parse(new Yaml().dumpAll(documents.iterator()));
    }

    private static String name(Map<?, ?> resource) {
        return resource.get("metadata") instanceof Map<?, ?> metadata
                ? resource.get("kind") + " " + metadata.get("name")
                : "";
    }

    @SuppressWarnings("unchecked")
    private static void put(Object node, List<String> path, @Nullable Object value) {
        String step = path.getFirst().replace("~1", "/");
        List<String> rest = path.subList(1, path.size());
        switch (node) {
            case Map<?, ?> map when !rest.isEmpty() -> {
                var into = ((Map<String, Object>) map);
                put(into.computeIfAbsent(step, _ -> new LinkedHashMap<>()), rest, value);
            }
            case Map<?, ?> map when value == null -> map.remove(step);
            case Map<?, ?> map -> ((Map<String, Object>) map).put(step, value);
            case List<?> list -> put((List<Object>) list, Integer.parseInt(step), rest, value);
            default -> throw new AssertionError("no " + path + " in " + node);
        }
    }

    // An index beyond the end means the end.
    private static void put(
            List<Object> list, int index, List<String> rest, @Nullable Object value) {
        if (index >= list.size()) {
            list.add(value);
        } else if (rest.isEmpty()) {
            list.set(index, value);
        } else {
            put(list.get(index), rest, value);
        }
    }
}
