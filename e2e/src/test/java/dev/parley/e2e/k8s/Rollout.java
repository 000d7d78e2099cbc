package dev.parley.e2e.k8s;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One rolling update, as a Deployment's or DaemonSet's controller does it: so many new pods as may
 * be beside those that are wanted, and an old one goes when enough are available without it. Pods
 * that were told to stop no longer count. Owned by the cluster.
 */
final class Rollout {
    /** What a controller has done to pods. */
    interface Pods {
        RunningPod begin(Workload workload) throws IOException;

        /** Whether it is ready; services lead to it from then on. */
        boolean ready(RunningPod pod) throws IOException;

        void end(RunningPod pod) throws IOException;
    }

    /** A pod of the new version. */
    private static final class New {
        final RunningPod pod;
        boolean ready;
        long readyNanos;

        New(RunningPod pod) {
            this.pod = pod;
        }
    }

    private final Workload workload;
    private final Pods pods;
    private final List<RunningPod> old;
    private final int wanted;
    private final List<New> fresh = new ArrayList<>();

    Rollout(Workload workload, List<RunningPod> old, Pods pods) {
        this.workload = workload;
        this.pods = pods;
        this.old = new ArrayList<>(old);
        this.wanted = old.size();
    }

    /** One look; answers whether the update is through. */
    boolean step(long nowNanos) throws IOException {
        for (New one : fresh) {
            if (!one.ready && pods.ready(one.pod)) {
                one.ready = true;
                one.readyNanos = nowNanos;
            }
        }
        int room = wanted + workload.maxSurge(wanted) - old.size() - fresh.size();
        for (int i = Math.min(room, wanted - fresh.size()); i > 0; i--) {
            fresh.add(new New(pods.begin(workload)));
        }
        int available = old.size() + available(nowNanos);
        int mustStay = wanted - workload.maxUnavailable(wanted);
        while (!old.isEmpty() && available > mustStay) {
            pods.end(old.removeFirst());
            available--;
        }
        return old.isEmpty() && available(nowNanos) == wanted;
    }

    private int available(long nowNanos) {
        long least = workload.minReadySeconds() * 1_000_000_000L;
        return (int)
                fresh.stream()
                        .filter(one -> one.ready)
                        .filter(one -> nowNanos - one.readyNanos >= least)
                        .count();
    }
}
