package dev.parley.relay.store;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One worker's line to the store. Requests go out through a ring that only the worker fills and
 * only the store's thread empties; answers to reads come back in numbered places, each with at most
 * one read under way. Both are bounded, nobody waits, and the worker allocates nothing.
 *
 * <p>A request is made in steps: {@link #begin}, the addresses, {@link #commit}.
 */
public final class StoreLane {
    /** Reads that may be under way at once. */
    public static final int MAX_READS = 256;

    /** What a request asks for. */
    public enum Kind {
        READ,
        /** A client has just shown the route with its token. */
        WRITE,
        /** The flow is alive and its entry grows old. */
        REFRESH,
        /** The flow has expired. */
        REMOVE
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int REQUESTS = 2_048;

    // Longs of a request.
    private static final int STRIDE_SHIFT = 4;
    private static final int KIND_AND_PLACE = 0;
    private static final int CLIENT_HIGH = 1;
    private static final int CLIENT_LOW = 2;
    private static final int CLIENT_PORT = 3;
    private static final int PUBLIC_HIGH = 4;
    private static final int PUBLIC_LOW = 5;
    private static final int PUBLIC_PORT = 6;
    private static final int TRANSCEIVER_HIGH = 7;
    private static final int TRANSCEIVER_LOW = 8;
    private static final int TRANSCEIVER_PORT = 9;
    private static final int CLUSTER = 10;
    private static final int SESSION_HIGH = 11;
    private static final int SESSION_LOW = 12;

    private final Runnable requested;
    private final Runnable wakeUp;
    private final int requests;
    private final long[] ring;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicReferenceArray<@Nullable StoreAnswer> answers =
            new AtomicReferenceArray<>(MAX_READS);
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean available;
    private int at;

    /**
     * @param requested called by the worker when a request waits
     * @param wakeUp called by the store when an answer waits
     */
    StoreLane(Runnable requested, Runnable wakeUp) {
        this(requested, wakeUp, REQUESTS);
    }

    private StoreLane(Runnable requested, Runnable wakeUp, int requests) {
        this.requested = requested;
        this.wakeUp = wakeUp;
        this.requests = requests;
        this.ring = new long[requests << STRIDE_SHIFT];
    }

    /** A line that leads nowhere. */
    public static StoreLane closed() {
        return new StoreLane(() -> {}, () -> {}, 0);
    }

    // --- the worker's side

    /** Whether the store can be asked; while it cannot, requests are refused. */
    public boolean isAvailable() {
        return available;
    }

    /**
     * Begins a request; false, beginning nothing, when too many wait or the store cannot be asked.
     *
     * @param place where the answer to a read goes, below {@link #MAX_READS}
     */
    public boolean begin(Kind kind, int place) {
        long next = written.getPlain();
        if (!available || next - taken.getAcquire() >= requests) {
            return false;
        }
        at = (int) (next & (requests - 1)) << STRIDE_SHIFT;
        ring[at + KIND_AND_PLACE] = (long) kind.ordinal() << 32 | place;
        return true;
    }

    public StoreLane client(long high, long low, int port) {
        ring[at + CLIENT_HIGH] = high;
        ring[at + CLIENT_LOW] = low;
        ring[at + CLIENT_PORT] = port;
        return this;
    }

    /** The public address that the client used. */
    public StoreLane publicAddress(long high, long low, int port) {
        ring[at + PUBLIC_HIGH] = high;
        ring[at + PUBLIC_LOW] = low;
        ring[at + PUBLIC_PORT] = port;
        return this;
    }

    public StoreLane transceiver(long high, long low, int port, int clusterId) {
        ring[at + TRANSCEIVER_HIGH] = high;
        ring[at + TRANSCEIVER_LOW] = low;
        ring[at + TRANSCEIVER_PORT] = port;
        ring[at + CLUSTER] = clusterId;
        return this;
    }

    public StoreLane session(long high, long low) {
        ring[at + SESSION_HIGH] = high;
        ring[at + SESSION_LOW] = low;
        return this;
    }

    /** Hands the request over. */
    public void commit() {
        written.set(written.getPlain() + 1);
        requested.run();
    }

    /** Whether any answer waits. */
    public boolean hasAnswers() {
        return waiting.get() > 0;
    }

    /** Takes the answer that waits in a place, null when none does. */
    public @Nullable StoreAnswer pollAnswer(int place) {
        if (answers.getPlain(place) == null) {
            return null;
        }
        StoreAnswer answer = answers.getAndSet(place, null);
        waiting.decrementAndGet();
        return answer;
    }

    // --- the store's side

    void available(boolean can) {
        available = can;
    }

    boolean hasRequests() {
        return written.get() != taken.getPlain();
    }

    /** Hands at most so many waiting requests to the backend; answers how many. */
    int drainTo(StoreBackend backend, int limit) {
        long next = taken.getPlain();
        long end = Math.min(written.getAcquire(), next + limit);
        int count = (int) (end - next);
        for (; next < end; next++) {
            try {
                hand((int) (next & (requests - 1)) << STRIDE_SHIFT, backend);
            } finally {
                taken.setRelease(next + 1);
            }
        }
        return count;
    }

    private void hand(int request, StoreBackend backend) {
        FlowKey key =
                new FlowKey(
                        ring[request + CLIENT_HIGH],
                        ring[request + CLIENT_LOW],
                        (int) ring[request + CLIENT_PORT],
                        ring[request + PUBLIC_HIGH],
                        ring[request + PUBLIC_LOW],
                        (int) ring[request + PUBLIC_PORT]);
        int place = (int) ring[request + KIND_AND_PLACE];
        switch (KINDS[(int) (ring[request + KIND_AND_PLACE] >>> 32)]) {
            case READ -> backend.read(key, answer -> answer(place, answer));
            case WRITE -> backend.write(key, route(request));
            case REFRESH -> backend.refresh(key, route(request));
            case REMOVE -> backend.remove(key, route(request));
        }
    }

    private StoredRoute route(int request) {
        return new StoredRoute(
                ring[request + TRANSCEIVER_HIGH],
                ring[request + TRANSCEIVER_LOW],
                (int) ring[request + TRANSCEIVER_PORT],
                (int) ring[request + CLUSTER],
                ring[request + SESSION_HIGH],
                ring[request + SESSION_LOW]);
    }

    private void answer(int place, StoreAnswer answer) {
        answers.set(place, answer);
        waiting.incrementAndGet();
        wakeUp.run();
    }
}
