package dev.parley.e2e.k8s;

import dev.parley.app.ProcessConfig;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.signaling.SignalingConfig;
import dev.parley.transceiver.TransceiverConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The config that a service ends up with in its pod, read by the service's own loader. */
final class PodConfig {
    private static final String MOUNTS = "/opt/parley/";
    private static final Map<String, Class<? extends Record>> TYPES =
            Map.of(
                    "relay", RelayConfig.class,
                    "transceiver", TransceiverConfig.class,
                    "signaling", SignalingConfig.class,
                    "inference-stub", InferenceStubConfig.class);

    private PodConfig() {}

    /**
     * Loads it.
     *
     * @throws dev.parley.runtime.config.ConfigException when the service would not start with it
     * @throws IllegalStateException when something that the pod refers to is not there
     */
    static Record of(String service, Pod pod) throws IOException {
        Path root = Files.createTempDirectory("parley-pod");
        try {
            pod.writeFiles(root);
            Map<String, String> environment = new TreeMap<>();
            pod.environment().forEach((name, value) -> environment.put(name, inside(root, value)));
            List<String> words = pod.workload().container().getArgs();
            String file = words.get(words.indexOf("--config") + 1);
            Class<? extends Record> type = type(service);
            Path path = Path.of(inside(root, file));
            var _ = ConfigLoader.loadBeside(ProcessConfig.class, type, path, environment);
            return ConfigLoader.loadBeside(type, ProcessConfig.class, path, environment);
        } finally {
            delete(root);
        }
    }

    private static String inside(Path root, String value) {
        return value.startsWith(MOUNTS) ? root + value : value;
    }

    private static Class<? extends Record> type(String service) {
        Class<? extends Record> type = TYPES.get(service);
        if (type == null) {
            throw new IllegalStateException("no service " + service);
        }
        return type;
    }

    /** Whether a variable means something to a service, or is not ours at all. */
    static boolean knows(String service, String variable) {
        return !variable.startsWith(ConfigLoader.ENVIRONMENT_PREFIX)
                || Stream.of(type(service), ProcessConfig.class)
                        .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                        .map(component -> variable(component.getName()))
                        .anyMatch(v -> variable.equals(v) || variable.equals(v + "_FILE"));
    }

    /** Whether it does to any of them. */
    static boolean anyKnows(String variable) {
        return TYPES.keySet().stream().anyMatch(service -> knows(service, variable));
    }

    private static String variable(String component) {
        return ConfigLoader.ENVIRONMENT_PREFIX
                + component.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
