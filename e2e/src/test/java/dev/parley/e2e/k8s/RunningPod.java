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
    // What is mounted is seen at its place by this process alone.
    private static final String CONTAINER =
            "mount --bind \"$1\" /opt && mount --bind \"$2\" /etc/hosts && shift 2"
                    + " && exec setpriv --regid "
                    + NodeRules.POD_GROUP
                    + " --clear-groups --no-new-privs \"$@\"";

    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private final Pod pod;
    private final Process process;
    private final Path log;
    private volatile boolean endpoint;

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
     * @param hosts names of the cluster
     */
    static RunningPod start(Pod pod, String space, Path root, Path hosts) throws IOException {
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
                                hosts.toString()));
        line.addAll(pod.workload().container().getCommand());
        line.addAll(pod.workload().container().getArgs());
        Path log = root.resolve("log");
        ProcessBuilder builder =
                new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile());
        Map<String, String> environment = builder.environment();
        String path = environment.getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        environment.clear();
        environment.putAll(pod.environment());
        environment.put("PATH", "/opt/java/bin:" + path);
        // No control group limits it here, which is what a JVM takes its sizes from.
        environment.merge(
                "JDK_JAVA_OPTIONS",
                "-XX:MaxRAM=" + limitBytes(pod),
                (own, more) -> own + " " + more);
        // All pods share this machine's processors: one that rehearsed would take them from calls.
        environment.put("PARLEY_REHEARSAL", "0s");
        return new RunningPod(pod, builder.start(), log);
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
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
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
