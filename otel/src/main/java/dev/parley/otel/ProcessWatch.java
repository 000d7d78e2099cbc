package dev.parley.otel;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * Watches what no service can see of itself: that the whole process stood still, for a safepoint, a
 * collection, or because it got no processor, and that the wall clock jumped. Voice is sent every
 * 20 ms, so longer pauses are counted apart and told. Those of a process that starts, which loads
 * and compiles its code, are only counted. Owned by {@code main}.
 */
public final class ProcessWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ProcessWatch.class.getName());

    static final long TICK_NANOS = 10_000_000L;
    static final long NOTICED_NANOS = 5_000_000L;
    static final long BUDGET_NANOS = 20_000_000L;
    static final long JUMP_NANOS = 100_000_000L;
    static final long TELL_NANOS = 10_000_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Histogram pauses;
    private final Histogram collections;
    private final LongSupplier clock;
    private final LongSupplier wallClock;
    private final Consumer<String> log;
    private final LongAdder longPauses = new LongAdder();
    private final LongAdder longCollections = new LongAdder();
    private final LongAdder jumpsAhead = new LongAdder();
    private final LongAdder jumpsBack = new LongAdder();
    private final Thread thread;
    private volatile boolean closed;
    private long lastNanos;
    private long lastAhead;
    // Begins with the process, so that nothing is told of its start.
    private long toldNanos;
    private boolean started;
    private long untold;

    /**
     * @param log is told of what someone should look at, not too often
     */
    ProcessWatch(
            Telemetry telemetry, LongSupplier clock, LongSupplier wallClock, Consumer<String> log) {
        this.clock = clock;
        this.wallClock = wallClock;
        this.log = log;
        this.pauses = telemetry.histogram(Metric.PROCESS_PAUSE);
        this.collections = telemetry.histogram(Metric.PROCESS_GC);
        telemetry.counters(
                Metric.PROCESS_PAUSES_OVER_BUDGET,
                Map.of("process", longPauses::sum, "collection", longCollections::sum));
        telemetry.counters(
                Metric.PROCESS_CLOCK_JUMPS,
                Map.of("ahead", jumpsAhead::sum, "back", jumpsBack::sum));
        telemetry.seconds(Metric.PROCESS_CPU, system()::getProcessCpuTime);
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        telemetry.gauge(Metric.PROCESS_HEAP_USED, () -> memory.getHeapMemoryUsage().getUsed());
        telemetry.gauge(Metric.PROCESS_HEAP_LIMIT, () -> memory.getHeapMemoryUsage().getMax());
        this.lastNanos = clock.getAsLong();
        this.lastAhead = wallClock.getAsLong() - lastNanos;
        this.toldNanos = lastNanos;
        this.thread = Thread.ofPlatform().daemon().name("process-watch").unstarted(this::run);
    }

    private static OperatingSystemMXBean system() {
        return (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    }

    /** Watches this process from now on. */
    public static ProcessWatch start(Telemetry telemetry) {
        ProcessWatch watch =
                new ProcessWatch(
                        telemetry,
                        System::nanoTime,
                        () -> System.currentTimeMillis() * 1_000_000L,
                        line -> LOG.log(System.Logger.Level.WARNING, line));
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(
                        (notification, _) -> watch.collected(notification.getUserData()),
                        null,
                        null);
            }
        }
        watch.thread.start();
        return watch;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, TICK_NANOS);
            tick();
        }
    }

    /** A tick that was meant {@link #TICK_NANOS} after the last one. */
    void tick() {
        long now = clock.getAsLong();
        long late = now - lastNanos - TICK_NANOS;
        long ahead = wallClock.getAsLong() - now;
        lastNanos = now;
        if (late >= NOTICED_NANOS) {
            pauses.record(late / NANOS_PER_SECOND);
        }
        if (late >= BUDGET_NANOS) {
            longPauses.increment();
            tell(now, "the process stood still for " + late / 1_000_000 + " ms");
        }
        long jump = ahead - lastAhead;
        if (Math.abs(jump) >= JUMP_NANOS) {
            (jump > 0 ? jumpsAhead : jumpsBack).increment();
            tell(now, "the wall clock jumped by " + jump / 1_000_000 + " ms");
        }
        lastAhead = ahead;
    }

    private void tell(long now, String what) {
        if (now - toldNanos < TELL_NANOS) {
            untold += started ? 1 : 0;
            return;
        }
        started = true;
        log.accept(untold == 0 ? what : what + "; the same " + untold + " times before");
        toldNanos = now;
        untold = 0;
    }

    private void collected(Object data) {
        if (data instanceof CompositeData composite) {
            var info = GarbageCollectionNotificationInfo.from(composite);
            // What runs beside the process is no pause.
            boolean pause =
                    !info.getGcName().contains("Cycles")
                            && !info.getGcName().contains("Concurrent");
            if (pause) {
                long millis = info.getGcInfo().getDuration();
                collections.record(millis / 1e3, info.getGcName());
                if (millis * 1_000_000 >= BUDGET_NANOS) {
                    longCollections.increment();
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
