package dev.parley.e2e.k8s;

import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigException;
import dev.parley.transceiver.TransceiverConfig;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What must hold for each container of ours, one line for each time that it does not. */
final class ContainerRules {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Za-z0-9_]+)\\)");

    /** Time between the last thing that a pod has to do and its being killed. */
    private static final long SPARE_SECONDS = 15;

    private static final int MAX_PORTS = 4;

    /** Of those who built an image on a base of distroless, for one. */
    private static final Long USUAL_USER = 65_532L;

    /** How much of its workers a relay may use before it is given more relays. */
    private static final double MAX_WORKERS_USE = 0.6;

    /** How much of a limit may be spoken for. */
    private static final double MAX_MEMORY = 0.9;

    /** Longer than a node is usually waited for. */
    private static final long LONG_SECONDS = 600;

    private static final List<String> NOT_MOVED =
            List.of(
                    "cluster-autoscaler.kubernetes.io/safe-to-evict=false",
                    "karpenter.sh/do-not-disrupt=true");

    private final Manifests manifests;
    private final Map<String, Map<String, String>> secrets;
    private final List<String> broken = new ArrayList<>();

    private ContainerRules(Manifests manifests, Map<String, Map<String, String>> secrets) {
        this.manifests = manifests;
        this.secrets = secrets;
    }

    static List<String> broken(Manifests manifests, Map<String, Map<String, String>> secrets) {
        ContainerRules rules = new ContainerRules(manifests, secrets);
        manifests.workloads().forEach(rules::check);
        return rules.broken;
    }

    private void require(boolean holds, Workload where, String what) {
        if (!holds) {
            broken.add(where + ": " + what);
        }
    }

    private void check(Workload workload) {
        require(workload.pod().getContainers().size() == 1, workload, "has one container");
        require(workload.pod().getInitContainers().isEmpty(), workload, "has no init container");
        Container container = workload.container();
        String image = container.getImage();
        require(
                image.matches(".+/.+:[^:/]+|.+@sha256:[0-9a-f]{64}") && !image.endsWith(":latest"),
                workload,
                "its image " + image + " is a certain one");
        checkPorts(workload, container);
        checkProbe(workload, "startup", container.getStartupProbe());
        checkProbe(workload, "liveness", container.getLivenessProbe());
        checkProbe(workload, "readiness", container.getReadinessProbe());
        checkResources(workload, container);
        checkMemory(workload, container);
        checkSecurity(workload, container);
        checkEnvironment(workload, container);
        checkConfig(workload);
    }

    private void checkPorts(Workload workload, Container container) {
        for (ContainerPort port : container.getPorts()) {
            require(port.getHostPort() == null, workload, "takes no port of the node");
            require(
                    !workload.onHostNetwork() || !workload.surge(),
                    workload,
                    "declares no port that keeps the next one off its node");
        }
        require(
                container.getPorts().size() <= MAX_PORTS,
                workload,
                "declares its few ports and no range");
    }

    private void checkProbe(Workload workload, String which, @Nullable Probe probe) {
        if (probe == null) {
            broken.add(workload + ": has a " + which + " probe");
            return;
        }
        if (probe.getHttpGet() != null) {
            String host = probe.getHttpGet().getHost();
            require(
                    (host == null) != workload.onHostNetwork(),
                    workload,
                    "its " + which + " probe asks the pod, on the node's network the node itself");
        }
        if (!workload.onHostNetwork()) {
            require(isDeclared(workload, probe), workload, "its " + which + " probe's port exists");
        }
    }

    private static boolean isDeclared(Workload workload, Probe probe) {
        Object port =
                probe.getHttpGet() != null
                        ? probe.getHttpGet().getPort().getValue()
                        : probe.getGrpc() != null
                                ? probe.getGrpc().getPort()
                                : probe.getTcpSocket().getPort().getValue();
        return workload.container().getPorts().stream()
                .anyMatch(p -> port.equals(p.getName()) || port.equals(p.getContainerPort()));
    }

    private void checkResources(Workload workload, Container container) {
        var resources = container.getResources();
        if (resources == null) {
            broken.add(workload + ": says what it needs");
            return;
        }
        Map<String, Quantity> requests = resources.getRequests();
        Map<String, Quantity> limits = resources.getLimits();
        require(
                requests != null && requests.containsKey("cpu") && requests.containsKey("memory"),
                workload,
                "requests processor and memory");
        require(
                limits != null
                        && limits.containsKey("memory")
                        && !limits.containsKey("cpu")
                        && (requests == null
                                || limits.get("memory").equals(requests.get("memory"))),
                workload,
                "is limited to the memory that it requests, and not throttled");
    }

    private void checkMemory(Workload workload, Container container) {
        var resources = container.getResources();
        Quantity limit = resources == null ? null : resources.getLimits().get("memory");
        if (workload.service().isEmpty() || limit == null) {
            return;
        }
        MemoryShares shares = MemoryShares.of(workload.service().get());
        double mebibytes =
                Quantity.getAmountInBytes(limit).doubleValue() / MemoryShares.BYTES_PER_MEBIBYTE;
        require(
                shares.most(mebibytes) <= MAX_MEMORY * mebibytes,
                workload,
                "is given the memory that its JVM may take, "
                        + Math.round(shares.most(mebibytes))
                        + " MiB, and some to spare");
    }

    private void checkSecurity(Workload workload, Container container) {
        var pod = workload.pod().getSecurityContext();
        SecurityContext own = container.getSecurityContext();
        require(
                pod != null
                        && Boolean.TRUE.equals(pod.getRunAsNonRoot())
                        && pod.getSeccompProfile() != null
                        && "RuntimeDefault".equals(pod.getSeccompProfile().getType()),
                workload,
                "is not root and has a seccomp profile");
        require(
                own != null
                        && Boolean.FALSE.equals(own.getAllowPrivilegeEscalation())
                        && Boolean.TRUE.equals(own.getReadOnlyRootFilesystem())
                        && own.getCapabilities() != null
                        && own.getCapabilities().getDrop().equals(List.of("ALL"))
                        && own.getCapabilities().getAdd().isEmpty(),
                workload,
                "cannot write its root file system and has no capability");
        require(
                !workload.onHostNetwork()
                        || (pod != null && !USUAL_USER.equals(pod.getRunAsUser())),
                workload,
                "is a user of its own on the node's network");
        require(
                workload.pod().getVolumes().stream()
                        .map(Volume::getEmptyDir)
                        .allMatch(empty -> empty == null || "Memory".equals(empty.getMedium())),
                workload,
                "waits for no disk");
        require(
                Boolean.FALSE.equals(workload.pod().getAutomountServiceAccountToken()),
                workload,
                "has no token of the cluster's API");
    }

    private void checkEnvironment(Workload workload, Container container) {
        Set<String> before = new HashSet<>();
        for (EnvVar variable : container.getEnv()) {
            Matcher reference = REFERENCE.matcher(String.valueOf(variable.getValue()));
            while (reference.find()) {
                require(
                        before.contains(reference.group(1)),
                        workload,
                        variable.getName() + " refers to " + reference.group(1) + " before it");
            }
            require(before.add(variable.getName()), workload, variable.getName() + " is set once");
            workload.service()
                    .ifPresent(
                            service ->
                                    require(
                                            PodConfig.knows(service, variable.getName()),
                                            workload,
                                            variable.getName() + " is an option of " + service));
        }
    }

    private void checkConfig(Workload workload) {
        String service = workload.service().orElse("");
        if (service.isEmpty()) {
            return;
        }
        try {
            Record config =
                    PodConfig.of(
                            service,
                            new Pod(
                                    manifests,
                                    secrets,
                                    workload,
                                    workload.name() + "-0",
                                    "10.244.0.9",
                                    "192.168.49.2"));
            checkEnd(workload, config);
            if (config instanceof RelayConfig relay) {
                checkScaler(workload, relay);
            }
        } catch (ConfigException | IllegalStateException e) {
            broken.add(workload + ": " + e.getMessage());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // A worker drops packets when its one core is full, however many the pod requests.
    private void checkScaler(Workload workload, RelayConfig relay) {
        double cores =
                Quantity.getAmountInBytes(
                                workload.container().getResources().getRequests().get("cpu"))
                        .doubleValue();
        manifests.of(HorizontalPodAutoscaler.class).stream()
                .filter(s -> s.getSpec().getScaleTargetRef().getName().equals(workload.name()))
                .flatMap(s -> s.getSpec().getMetrics().stream())
                .filter(metric -> metric.getResource() != null)
                .mapToDouble(m -> m.getResource().getTarget().getAverageUtilization() / 100.0)
                .forEach(
                        use ->
                                require(
                                        use * cores <= MAX_WORKERS_USE * relay.workers(),
                                        workload,
                                        "is scaled before its workers are full"));
    }

    private void checkEnd(Workload workload, Record config) {
        long seconds = 0;
        var lifecycle = workload.container().getLifecycle();
        if (lifecycle != null) {
            seconds += lifecycle.getPreStop().getSleep().getSeconds();
        }
        if (config instanceof InferenceStubConfig stub) {
            seconds += stub.drainTimeout().toSeconds();
        }
        if (config instanceof TransceiverConfig transceiver) {
            seconds += transceiver.drainTimeout().toSeconds();
            require(
                    transceiver.drainTimeout().compareTo(transceiver.maxDuration()) >= 0,
                    workload,
                    "drains until the longest call has ended");
        }
        require(
                workload.pod().getTerminationGracePeriodSeconds() >= seconds + SPARE_SECONDS,
                workload,
                "has time to end well: more than " + seconds + " s");
        var annotations = workload.template().getMetadata().getAnnotations();
        require(
                seconds < LONG_SECONDS
                        || NOT_MOVED.stream()
                                .map(annotation -> annotation.split("="))
                                .allMatch(a -> a[1].equals(annotations.get(a[0]))),
                workload,
                "is not moved to save a node");
    }
}
