package dev.parley.e2e.k8s;

import dev.parley.runtime.config.HostPort;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
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
    private static final Duration ROLLOUT_PATIENCE = Duration.ofMinutes(8);
    private static final long LOOK_MILLIS = 100;

    /** Balancers and names learn a little later that a pod is to stop. */
    private static final long LAG_MILLIS = 1_500;

    private static final long DEFAULT_GRACE_SECONDS = 30;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final Path folder;
    private volatile Manifests manifests;
    private final Map<String, Map<String, String>> secrets;
    private final NodeNetwork network = new NodeNetwork();
    private final List<RunningPod> pods = new CopyOnWriteArrayList<>();
    private final List<String> killed = new CopyOnWriteArrayList<>();
    private final Path etc;
    private final ClusterNames names;
    private final ProbeWatch probes;
    private Layout layout = Layout.current();
    private boolean rehearsing;
    private int started;
    private int mostPods;

    private Cluster(Path folder, Manifests manifests, Map<String, Map<String, String>> secrets)
            throws IOException {
        this.folder = folder;
        this.manifests = manifests;
        this.secrets = secrets;
        this.names = new ClusterNames(NodeNetwork.OUTSIDE);
        this.etc = Files.createDirectories(folder.resolve("etc"));
        Files.writeString(etc.resolve("hosts"), "127.0.0.1 localhost\n");
        Files.writeString(etc.resolve("resolv.conf"), ClusterNames.RESOLV_CONF);
        Files.writeString(etc.resolve("nsswitch.conf"), "hosts: files dns\n");
        this.probes = ProbeWatch.start(pods, network);
    }

    /** Starts everything, without rehearsals, and waits until all of it is ready. */
    static Cluster start(Path folder, Manifests manifests) throws IOException {
        return start(folder, manifests, Map.of(), false);
    }

    /**
     * Starts everything and waits until all of it is ready.
     *
     * @param secrets those that are not among the manifests, by name and key
     * @param rehearsing whether pods practise at their start as the manifests have it; then one
     *     starts after the other
     */
    static Cluster start(
            Path folder,
            Manifests manifests,
            Map<String, Map<String, String>> secrets,
            boolean rehearsing)
            throws IOException {
        return start(folder, manifests, secrets, Layout.current(), rehearsing);
    }

    /** The same with pods of a certain version. */
    static Cluster start(
            Path folder,
            Manifests manifests,
            Map<String, Map<String, String>> secrets,
            Layout layout,
            boolean rehearsing)
            throws IOException {
        Cluster cluster = new Cluster(folder, manifests, secrets);
        cluster.layout = layout;
        cluster.rehearsing = rehearsing;
        try {
            for (String name : ORDER) {
                cluster.startAll(manifests.workload(name));
            }
            return cluster;
        } catch (IOException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private void startAll(Workload workload) throws IOException {
        List<RunningPod> begun = new ArrayList<>();
        for (int i = 0; i < replicas(workload); i++) {
            begun.add(begin(workload));
            if (rehearsing) {
                join(begun.removeLast());
            }
        }
        for (RunningPod pod : begun) {
            join(pod);
        }
    }

    // Where a scaler says the number it begins with the least.
    private int replicas(Workload workload) {
        return workload.replicas() != null
                ? workload.replicas()
                : manifests
                        .find(HorizontalPodAutoscaler.class, workload.name())
                        .map(scaler -> scaler.getSpec().getMinReplicas())
                        .orElse(1);
    }

    /** Whether pods that begin from now on practise at their start as the manifests have it. */
    void rehearsing(boolean now) {
        rehearsing = now;
    }

    /** Applies another version: pods that begin from now on are of it. */
    void version(Manifests next, Layout image) throws IOException {
        manifests = next;
        layout = image;
        apply();
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
                .filter(pod -> !pod.isEnding())
                .filter(pod -> pod.workload().name().equals(workload))
                .toList();
    }

    private RunningPod begin(Workload workload) throws IOException {
        String space = workload.onHostNetwork() ? network.node() : network.addPod();
        String name = workload.name() + "-" + ++started;
        Pod pod =
                new Pod(
                        manifests,
                        secrets,
                        workload,
                        name,
                        network.address(space),
                        NodeNetwork.NODE);
        Path root = Files.createDirectories(folder.resolve(name));
        Files.createDirectories(root.resolve("opt").resolve("parley"));
        pod.writeFiles(root);
        layout.addTo(root.resolve("opt"));
        RunningPod running = RunningPod.start(pod, space, root, etc, rehearsing);
        pods.add(running);
        mostPods = Math.max(mostPods, (int) alive(workload.name()));
        apply();
        return running;
    }

    private long alive(String workload) {
        return pods.stream()
                .filter(pod -> pod.workload().name().equals(workload))
                .filter(RunningPod::isAlive)
                .count();
    }

    /** Most pods of one workload that lived at once since this was asked last, dying ones too. */
    int mostPods() {
        int most = mostPods;
        mostPods = 0;
        return most;
    }

    private void join(RunningPod pod) throws IOException {
        awaitReady(pod);
        pod.endpoint(true);
        apply();
    }

    /** What changes when pods come and go: the names of services, policies, ports of the node. */
    private synchronized void apply() throws IOException {
        for (Service service : manifests.of(Service.class)) {
            names.update(
                    service,
                    pods.stream()
                            .filter(RunningPod::isEndpoint)
                            .filter(pod -> NodeRules.isBehind(service, pod))
                            .map(RunningPod::ip)
                            .toList());
        }
        network.rules(folder, NodeRules.of(manifests, List.copyOf(pods), names));
    }

    private void awaitReady(RunningPod pod) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!isReady(pod)) {
            if (deadline - System.nanoTime() <= 0) {
                throw new IllegalStateException(pod + " is not ready; it printed:\n" + pod.log());
            }
            sleep(LOOK_MILLIS);
        }
    }

    private boolean isReady(RunningPod pod) {
        if (!pod.isAlive()) {
            throw new IllegalStateException(pod + " has ended; it printed:\n" + pod.log());
        }
        return Probes.answer(pod.workload().container().getReadinessProbe(), pod, network);
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

    /** Replaces every pod of a workload, as its controller does. */
    void roll(String name) throws IOException, InterruptedException {
        Workload workload = manifests.workload(name);
        if (workload.recreate()) {
            recreate(workload);
            return;
        }
        Rollout rollout = new Rollout(workload, endpoints(name), new Controlled());
        long deadline = System.nanoTime() + ROLLOUT_PATIENCE.toNanos();
        while (!rollout.step(System.nanoTime())) {
            if (deadline - System.nanoTime() <= 0) {
                throw new IllegalStateException(name + " is not rolled; see\n" + logs());
            }
            sleep(LOOK_MILLIS);
        }
    }

    /** What a controller does. */
    private final class Controlled implements Rollout.Pods {
        @Override
        public RunningPod begin(Workload workload) throws IOException {
            return Cluster.this.begin(workload);
        }

        @Override
        public boolean ready(RunningPod pod) throws IOException {
            if (!isReady(pod)) {
                return false;
            }
            pod.endpoint(true);
            apply();
            return true;
        }

        @Override
        public void end(RunningPod pod) {
            Cluster.this.end(pod);
        }
    }

    private void recreate(Workload workload) throws IOException, InterruptedException {
        List<RunningPod> old = endpoints(workload.name());
        old.forEach(this::end);
        for (RunningPod pod : old) {
            var _ = pod.awaitEnd(PATIENCE.toSeconds());
        }
        for (int i = 0; i < old.size(); i++) {
            join(begin(workload));
        }
    }

    /**
     * Takes a pod away: preStop and SIGTERM, and SIGKILL when its grace is over; services stop to
     * lead to it a moment after the first. Its end is not waited for, as Kubernetes does not.
     */
    void end(RunningPod pod) {
        pod.ending();
        Thread.ofVirtual().start(() -> guarded(pod, () -> leave(pod)));
        Thread.ofVirtual().start(() -> guarded(pod, () -> stop(pod)));
    }

    /** A step that may fail. */
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private static void guarded(RunningPod pod, Step step) {
        try {
            step.run();
        } catch (IOException e) {
            System.err.println(pod + ": " + e.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void leave(RunningPod pod) throws IOException, InterruptedException {
        Thread.sleep(LAG_MILLIS);
        pod.endpoint(false);
        apply();
    }

    private void stop(RunningPod pod) throws IOException, InterruptedException {
        Long said = pod.workload().pod().getTerminationGracePeriodSeconds();
        long grace = said == null ? DEFAULT_GRACE_SECONDS : said;
        var lifecycle = pod.workload().container().getLifecycle();
        long first = lifecycle == null ? 0 : lifecycle.getPreStop().getSleep().getSeconds();
        Thread.sleep(Duration.ofSeconds(first));
        pod.signal("TERM");
        if (!pod.awaitEnd(grace - first)) {
            killed.add(pod.name());
            pod.close();
        }
    }

    /** Pods that lived until their grace was over. */
    List<String> killed() {
        return List.copyOf(killed);
    }

    /** What kubelets would have heard. */
    ProbeWatch probes() {
        return probes;
    }

    /** Waits until every pod that was taken away has ended; answers those that live on. */
    List<RunningPod> awaitEnds(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        List<RunningPod> left = new ArrayList<>();
        for (RunningPod pod : pods) {
            if (pod.isEnding()
                    && !pod.awaitEnd(
                            Math.max(0, (deadline - System.nanoTime()) / NANOS_PER_SECOND))) {
                left.add(pod);
            }
        }
        return left;
    }

    /** Kills pods at once, as when their node dies; services notice when told: {@link #missed}. */
    void kill(List<RunningPod> dying) throws IOException {
        for (RunningPod pod : dying) {
            pod.close();
        }
    }

    /** Services no longer lead to dead pods. */
    void missed(List<RunningPod> dead) throws IOException {
        for (RunningPod pod : dead) {
            pod.endpoint(false);
            pods.remove(pod);
        }
        apply();
    }

    /** What Kubernetes does once it knows that they are dead: others in their place. */
    void replace(List<RunningPod> dead) throws IOException {
        missed(dead);
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

    /**
     * Changes a key of a secret of the manifests: for pods that begin from now on, and wherever it
     * is mounted, as kubelets do a while after an apply.
     */
    void secret(String key, String value) throws IOException {
        String encoded = Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
        manifests.of(Secret.class).stream()
                .map(Secret::getData)
                .filter(data -> data.containsKey(key))
                .forEach(data -> data.put(key, encoded));
        for (RunningPod pod : pods) {
            Path secrets = folder.resolve(pod.name()).resolve("opt/parley/secrets");
            if (!Files.isDirectory(secrets)) {
                continue;
            }
            try (var files = Files.walk(secrets)) {
                for (Path file : files.filter(f -> f.endsWith(key)).toList()) {
                    Files.writeString(file, value);
                }
            }
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
        probes.close();
        pods.forEach(RunningPod::close);
        names.close();
        network.close();
    }
}
