package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A pod's container as a process in the pod's network. Owned by the cluster. */
final class RunningPod implements AutoCloseable {
    // What is mounted is seen at its place by this process alone. Libraries may lie in the home of
    // whoever runs this, which is closed to others, or where a pod has its own folder: see Layout.
    private static final String CONTAINER =
            """
            set -e
            mount --bind "$1" /opt
            mount --bind "$HOME" /opt/home
            mount --bind /tmp /opt/tmp
            for file in hosts nsswitch.conf resolv.conf; do mount --bind "$2/$file" "/etc/$file"; done
            mount -t tmpfs -o size="$3",mode=1777 tmpfs /tmp
            mount -o remount,bind,ro /opt
            mount -o remount,bind,ro /
            shift 3
            cd /
            exec "$@"
            """;
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private final Pod pod;
    private final Process process;
    private final Path log;
    private volatile boolean endpoint;
    private volatile boolean ending;

    private RunningPod(Pod pod, Process process, Path log) {
        this.pod = pod;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts it.
     *
     * @param space the network's namespace
     * @param root the pod's own folder, which becomes {@code /opt}
     * @param etc files by which names are found
     * @param rehearsing whether it practises at its start as the manifests have it
     */
    static RunningPod start(Pod pod, String space, Path root, Path etc, boolean rehearsing)
            throws IOException {
        Files.createDirectories(root.resolve("opt").resolve("home"));
        Files.createDirectories(root.resolve("opt").resolve("tmp"));
        List<String> line =
                new ArrayList<>(
                        List.of(
                                "ip",
                                "netns",
                                "exec",
                                space,
                                "unshare",
                                "-m",
                                "sh",
                                "-c",
                                CONTAINER,
                                "sh",
                                root.resolve("opt").toString(),
                                etc.toString(),
                                temporaryBytes(pod)));
        line.addAll(privileges(pod));
        line.addAll(pod.workload().container().getCommand());
        line.addAll(pod.workload().container().getArgs());
        Path log = root.resolve("log");
        ProcessBuilder builder =
                new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile());
        Map<String, String> environment = builder.environment();
        String path = environment.getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        String home = environment.getOrDefault("HOME", "/root");
        environment.clear();
        environment.putAll(pod.environment());
        environment.put("HOME", home);
        environment.put("PATH", "/opt/java/bin:" + path);
        // No control group limits it here, which is what a JVM takes its sizes from.
        environment.merge(
                "JDK_JAVA_OPTIONS",
                "-XX:MaxRAM=" + limitBytes(pod),
                (own, more) -> own + " " + more);
        // All pods share this machine's processors: one that rehearses takes them from calls.
        if (!rehearsing) {
            environment.put("PARLEY_REHEARSAL", "0s");
        }
        return new RunningPod(pod, builder.start(), log);
    }

    // The container's user, without capabilities and without a way to any.
    private static List<String> privileges(Pod pod) {
        var context = pod.workload().pod().getSecurityContext();
        return List.of(
                "setpriv",
                "--reuid=" + context.getRunAsUser(),
                "--regid=" + context.getRunAsGroup(),
                "--clear-groups",
                "--bounding-set=-all",
                "--inh-caps=-all",
                "--no-new-privs");
    }

    private static String temporaryBytes(Pod pod) {
        return pod.workload().pod().getVolumes().stream()
                .filter(volume -> volume.getEmptyDir() != null)
                .map(volume -> volume.getEmptyDir().getSizeLimit())
                .findFirst()
                .map(limit -> Quantity.getAmountInBytes(limit).toPlainString())
                .orElseThrow();
    }

    private static long limitBytes(Pod pod) {
        return Quantity.getAmountInBytes(
                        pod.workload().container().getResources().getLimits().get("memory"))
                .longValueExact();
    }

    /** Memory that it may hold, in MiB. */
    double limitMebibytes() {
        return limitBytes(pod) / BYTES_PER_MEBIBYTE;
    }

    String name() {
        return pod.name();
    }

    String ip() {
        return pod.podIp();
    }

    Workload workload() {
        return pod.workload();
    }

    /** Whether it was ready once, lives, and was not told to stop. */
    boolean isServing() {
        return endpoint && !ending && process.isAlive();
    }

    /** It is to stop; services may lead to it for a moment still. */
    void ending() {
        ending = true;
    }

    /** Whether it was told to stop. */
    boolean isEnding() {
        return ending;
    }

    /** Whether services lead to it. */
    boolean isEndpoint() {
        return endpoint;
    }

    void endpoint(boolean now) {
        endpoint = now;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** A variable of the container. */
    String environment(String name) {
        return String.valueOf(pod.environment().get(name));
    }

    /** Memory that it holds, in MiB. */
    double residentMebibytes() throws IOException {
        return mebibytes("VmRSS:");
    }

    /** The most memory that it has ever held, in MiB. */
    double mostResidentMebibytes() throws IOException {
        return mebibytes("VmHWM:");
    }

    /** Memory of a JVM beside its heap, in MiB, where ZGC has that in shared memory; else 0. */
    double besideHeapMebibytes() throws IOException {
        return mebibytes("RssShmem:") == 0 ? 0 : mebibytes("RssAnon:") + mebibytes("RssFile:");
    }

    private double mebibytes(String key) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
            }
        }
        return 0;
    }

    /** Processor time that it has used. */
    Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** What it printed. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    void signal(String name) throws IOException {
        Command.run("kill", "-" + name, Long.toString(process.pid()));
    }

    /** Waits for its end; false when it lives on. */
    boolean awaitEnd(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        var _ = process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
