package dev.parley.e2e.k8s;

import dev.parley.runtime.config.HostPort;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * A rendered overlay, run: each pod's own command, environment, files and probes in a network of
 * its own, the policies as nftables, services by name. It does with pods what Kubernetes does, at
 * the pace that the manifests ask for; there is one node. Owned by one test or drill, whose thread
 * alone changes it; needs root.
 */
final class Cluster implements AutoCloseable {
    /** What has no program here: images of others. */
    private static final List<String> LEFT_OUT = List.of("collector", "jaeger");

    private static final List<String> ORDER =
            List.of("redis", "inference", "transceiver", "relay", "signaling");

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long LOOK_MILLIS = 100;

    private final Path folder;
    private final Manifests manifests;
    private final NodeNetwork network = new NodeNetwork();
    private final List<RunningPod> pods = new CopyOnWriteArrayList<>();
    private final Path hosts;
    private int started;

    private Cluster(Path folder, Manifests manifests) throws IOException {
        this.folder = folder;
        this.manifests = manifests;
        this.hosts = Files.writeString(folder.resolve("hosts"), "");
    }

    /** Starts everything and waits until all of it is ready. */
    static Cluster start(Path folder, Manifests manifests) throws IOException {
        Cluster cluster = new Cluster(folder, manifests);
        try {
            for (String name : ORDER) {
                Workload workload = manifests.workload(name);
                int replicas = workload.replicas() == null ? 1 : workload.replicas();
                List<RunningPod> begun = new ArrayList<>();
                for (int i = 0; i < replicas; i++) {
                    begun.add(cluster.begin(workload));
                }
                for (RunningPod pod : begun) {
                    cluster.join(pod);
                }
            }
            return cluster;
        } catch (IOException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    /** What every overlay has that can be run here. */
    static boolean runs(Workload workload) {
        return !LEFT_OUT.contains(workload.name());
    }

    /** Where the page and the API are. */
    URI base() {
        int port =
                manifests
                        .find(Service.class, "signaling")
                        .orElseThrow()
                        .getSpec()
                        .getPorts()
                        .getFirst()
                        .getNodePort();
        return URI.create("http://" + NodeNetwork.NODE + ":" + port);
    }

    NodeNetwork network() {
        return network;
    }

    /** Pods of a workload that services lead to. */
    List<RunningPod> endpoints(String workload) {
        return pods.stream()
                .filter(RunningPod::isEndpoint)
                .filter(pod -> pod.workload().name().equals(workload))
                .toList();
    }

    private RunningPod begin(Workload workload) throws IOException {
        String space = workload.onHostNetwork() ? network.node() : network.addPod();
        String name = workload.name() + "-" + ++started;
        Pod pod =
                new Pod(
                        manifests,
                        Map.of(),
                        workload,
                        name,
                        network.address(space),
                        NodeNetwork.NODE);
        Path root = Files.createDirectories(folder.resolve(name));
        Files.createDirectories(root.resolve("opt").resolve("parley"));
        pod.writeFiles(root);
        Layout.addTo(root.resolve("opt"));
        RunningPod running = RunningPod.start(pod, space, root, hosts);
        pods.add(running);
        apply();
        return running;
    }

    private void join(RunningPod pod) throws IOException {
        awaitReady(pod);
        pod.endpoint(true);
        apply();
    }

    /** What changes when pods come and go: the names of services, policies, ports of the node. */
    private void apply() throws IOException {
        String names =
                manifests.of(Service.class).stream()
                        .flatMap(
                                service ->
                                        pods.stream()
                                                .filter(RunningPod::isEndpoint)
                                                .filter(pod -> isBehind(service, pod))
                                                .map(
                                                        pod ->
                                                                pod.ip()
                                                                        + " "
                                                                        + service.getMetadata()
                                                                                .getName()))
                        .collect(Collectors.joining("\n", "127.0.0.1 localhost\n", "\n"));
        Files.writeString(hosts, names);
        network.rules(folder, NodeRules.of(manifests, List.copyOf(pods)));
    }

    private static boolean isBehind(Service service, RunningPod pod) {
        return pod.workload()
                .labels()
                .entrySet()
                .containsAll(service.getSpec().getSelector().entrySet());
    }

    private void awaitReady(RunningPod pod) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        var probe = pod.workload().container().getReadinessProbe();
        while (!Probes.answer(probe, pod, network)) {
            if (!pod.isAlive() || deadline - System.nanoTime() <= 0) {
                throw new IllegalStateException(pod + " is not ready; it printed:\n" + pod.log());
            }
            sleep(LOOK_MILLIS);
        }
    }

    /** Lets a workload have so many pods: the youngest go first. */
    void scale(String name, int replicas) throws IOException {
        List<RunningPod> now = endpoints(name);
        List<RunningPod> begun = new ArrayList<>();
        for (int i = now.size(); i < replicas; i++) {
            begun.add(begin(manifests.workload(name)));
        }
        for (RunningPod pod : begun) {
            join(pod);
        }
        for (int i = now.size(); i > replicas; i--) {
            end(now.get(i - 1));
        }
    }

    /**
     * Replaces every pod of a workload, as its rolling update does: first a new one, then an old.
     */
    void roll(String name) throws IOException {
        Workload workload = manifests.workload(name);
        for (RunningPod old : endpoints(name)) {
            join(begin(workload));
            sleep(Duration.ofSeconds(Math.max(0, workload.minReadySeconds())).toMillis());
            end(old);
        }
    }

    /**
     * Takes a pod away: from services at once, then preStop and SIGTERM. Its end is not waited for,
     * as Kubernetes does not.
     */
    void end(RunningPod pod) throws IOException {
        pod.endpoint(false);
        apply();
        var lifecycle = pod.workload().container().getLifecycle();
        long seconds = lifecycle == null ? 0 : lifecycle.getPreStop().getSleep().getSeconds();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                sleep(Duration.ofSeconds(seconds).toMillis());
                                pod.signal("TERM");
                            } catch (IOException e) {
                                System.err.println(pod + ": " + e.getMessage());
                            }
                        });
    }

    /** Waits until every pod that was taken away has ended; answers those that live on. */
    List<RunningPod> awaitEnds(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        List<RunningPod> left = new ArrayList<>();
        for (RunningPod pod : pods) {
            if (!pod.isEndpoint()
                    && !pod.awaitEnd(
                            Math.max(0, (deadline - System.nanoTime()) / 1_000_000_000L))) {
                left.add(pod);
            }
        }
        return left;
    }

    /** Kills pods at once, as when their node dies; services notice when told. */
    void kill(List<RunningPod> dying) throws IOException {
        for (RunningPod pod : dying) {
            pod.close();
        }
    }

    /** What Kubernetes does once it knows that they are dead: others in their place. */
    void replace(List<RunningPod> dead) throws IOException {
        for (RunningPod pod : dead) {
            pod.endpoint(false);
            pods.remove(pod);
        }
        apply();
        for (RunningPod pod : dead) {
            join(begin(pod.workload()));
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a TCP connection from a pod of one workload to a pod of another comes about. */
    boolean reaches(String from, String to, int port) {
        try {
            Command.run(
                    "timeout",
                    "2",
                    "ip",
                    "netns",
                    "exec",
                    network.space(endpoints(from).getFirst().ip()),
                    "bash",
                    "-c",
                    "exec 3<>/dev/tcp/$0/$1",
                    endpoints(to).getFirst().ip(),
                    Integer.toString(port));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Whether the operations page of a workload's pod answers, where the pod says that it is. */
    boolean showsOperations(String workload) {
        RunningPod pod = endpoints(workload).getFirst();
        HostPort admin = HostPort.parse(pod.environment("PARLEY_ADMIN_ADDRESS"));
        return Probes.answersHttp(admin.host(), admin.port(), "/metrics", network);
    }

    /** Everything that pods have printed, for when something failed. */
    String logs() {
        return pods.stream()
                .map(pod -> "== " + pod + "\n" + pod.log())
                .collect(Collectors.joining("\n"));
    }

    @Override
    public void close() {
        pods.forEach(RunningPod::close);
        network.close();
    }
}
