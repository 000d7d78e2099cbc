package dev.parley.transceiver.control;

import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.Session;
import dev.parley.transceiver.session.SessionId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this process, for those that know only their id, and the places that they take.
 * Shared by all threads.
 */
public final class Calls {
    /** A call and the loop that carries it. */
    record Call(Session session, MediaLoop loop) {}

    /** A place for a call that is being set up. Closing it frees a place that was not filled. */
    final class Place implements AutoCloseable {
        private boolean filled;

        /** From now on the place belongs to the call, until {@link #remove}. */
        void fill(Session session, MediaLoop loop) {
            filled = true;
            byId.put(session.id(), new Call(session, loop));
        }

        @Override
        public void close() {
            if (!filled) {
                filled = true;
                places.decrementAndGet();
            }
        }
    }

    private final int max;
    private final AtomicInteger places = new AtomicInteger();
    private final Map<SessionId, Call> byId = new ConcurrentHashMap<>();

    /**
     * @param max most calls at a time, those being set up included
     */
    public Calls(int max) {
        this.max = max;
    }

    /** Takes a place, or null when all are taken. */
    @Nullable Place findPlace() {
        if (places.incrementAndGet() <= max) {
            return new Place();
        }
        places.decrementAndGet();
        return null;
    }

    /** Forgets a call that has ended; calling it again does nothing. */
    public void remove(Session session) {
        if (byId.remove(session.id()) != null) {
            places.decrementAndGet();
        }
    }

    @Nullable Call find(SessionId id) {
        return byId.get(id);
    }

    /** Calls that exist or are being set up. */
    public int count() {
        return places.get();
    }

    public int max() {
        return max;
    }
}
