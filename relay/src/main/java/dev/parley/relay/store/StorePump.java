package dev.parley.relay.store;

import dev.parley.otel.Telemetry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Carries the workers' requests to a backend on a thread of its own, so that no packet ever waits
 * for the backend. What one look finds goes out together.
 */
final class StorePump implements FlowStore {
    private static final System.Logger LOG = System.getLogger(StorePump.class.getName());

    /** Requests of one worker that are taken in one go. */
    private static final int BATCH = 256;

    private static final long WAIT_NANOS = 1_000_000L;

    /**
     * Reads of a rehearsal: so many that the code behind them is compiled, in a few milliseconds.
     */
    private static final int REHEARSED_READS = 100;

    /** An entry that no client can have: its address is the one that stands for any. */
    private static final long NO_ADDRESS = 0xFFFF_0000_0000L;

    private static final long LOOK_NANOS = 50_000_000L;

    private final StoreBackend backend;
    private final StoreCounters counters;
    private final List<StoreLane> lanes = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean idle;
    private volatile boolean closed;

    StorePump(StoreBackend backend, StoreCounters counters) {
        this.backend = backend;
        this.counters = counters;
        this.thread = Thread.ofVirtual().name("relay-store").start(this::run);
    }

    @Override
    public StoreLane open(Runnable wakeUp) {
        StoreLane lane = new StoreLane(this::requested, wakeUp);
        lane.available(backend.isAvailable());
        lanes.add(lane);
        return lane;
    }

    private void requested() {
        if (idle) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!closed) {
            boolean available = backend.isAvailable();
            lanes.forEach(lane -> lane.available(available));
            if (carry() > 0) {
                continue;
            }
            idle = true;
            // A request that came before the flag was up would wake nobody.
            if (lanes.stream().noneMatch(StoreLane::hasRequests)) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
            idle = false;
        }
    }

    private int carry() {
        int carried = 0;
        try {
            for (StoreLane lane : lanes) {
                carried += lane.drainTo(backend, BATCH);
            }
            backend.flush();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the flow store failed at a request", e);
        }
        return carried;
    }

    @Override
    public void prepare(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (backend.isConnecting() && deadline - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, WAIT_NANOS);
        }
        Thread reader = Thread.currentThread();
        StoreLane lane = open(() -> LockSupport.unpark(reader));
        try {
            for (int i = 0; i < REHEARSED_READS && rehearse(lane, deadline); i++) {
                // Each waits for its answer, as the first read of a flow does.
            }
        } finally {
            lanes.remove(lane);
        }
    }

    private boolean rehearse(StoreLane lane, long deadlineNanos) {
        if (!lane.begin(StoreLane.Kind.READ, 0)) {
            return false;
        }
        lane.client(0, NO_ADDRESS, 0).publicAddress(0, NO_ADDRESS, 0).commit();
        while (lane.pollAnswer(0) == null) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, left);
        }
        return true;
    }

    @Override
    public @Nullable String findProblem() {
        return backend.findProblem();
    }

    @Override
    public void register(Telemetry telemetry) {
        counters.register(telemetry);
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        backend.close();
    }
}
