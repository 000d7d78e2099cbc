package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Probe;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Asks every pod that serves how it is, at the pace of its manifest, as its kubelet does for as
 * long as it lives. Nothing is restarted: what would have been is a fault. Owned by the cluster,
 * with a thread of its own.
 */
final class ProbeWatch implements AutoCloseable {
    private static final long LOOK_MILLIS = 250;

    // What Kubernetes takes where a manifest says nothing.
    private static final int PERIOD_SECONDS = 10;
    private static final int FAILURES = 3;

    private record Asked(RunningPod pod, boolean liveness) {}

    /** How one probe of one pod has fared. */
    private static final class Course {
        long dueNanos;
        int failures;
    }

    private final List<RunningPod> pods;
    private final NodeNetwork network;
    private final Map<Asked, Course> courses = new HashMap<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong missed = new AtomicLong();
    private final Thread thread;

    private ProbeWatch(List<RunningPod> pods, NodeNetwork network) {
        this.pods = pods;
        this.network = network;
        this.thread = Thread.ofPlatform().daemon().name("probes").unstarted(this::run);
    }

    /** Begins; the list may change. */
    static ProbeWatch start(List<RunningPod> pods, NodeNetwork network) {
        ProbeWatch watch = new ProbeWatch(pods, network);
        watch.thread.start();
        return watch;
    }

    private void run() {
        try {
            while (true) {
                for (RunningPod pod : new ArrayList<>(pods)) {
                    if (pod.isServing()) {
                        var container = pod.workload().container();
                        look(new Asked(pod, true), container.getLivenessProbe());
                        look(new Asked(pod, false), container.getReadinessProbe());
                    }
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    private void look(Asked which, Probe probe) {
        Course course = courses.computeIfAbsent(which, _ -> new Course());
        long now = System.nanoTime();
        if (course.dueNanos != 0 && course.dueNanos - now > 0) {
            return;
        }
        course.dueNanos = now + or(probe.getPeriodSeconds(), PERIOD_SECONDS) * 1_000_000_000L;
        asked.incrementAndGet();
        if (Probes.answer(probe, which.pod(), network)) {
            course.failures = 0;
            return;
        }
        // Whoever was told to stop meanwhile need not answer.
        if (which.pod().isServing()) {
            missed.incrementAndGet();
            course.failures++;
            if (course.failures == or(probe.getFailureThreshold(), FAILURES)) {
                faults.add(
                        which.pod() + (which.liveness() ? " would be restarted" : " is not ready"));
            }
        }
    }

    private static int or(@Nullable Integer given, int otherwise) {
        return given == null ? otherwise : given;
    }

    /** Probes that were asked so far. */
    long asked() {
        return asked.get();
    }

    /** Those that got no good answer in time. */
    long missed() {
        return missed.get();
    }

    /** Pods that failed one as often as it takes. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
