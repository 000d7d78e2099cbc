package dev.parley.transceiver.control;

import dev.parley.transceiver.session.EndedCall;
import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.Session;
import dev.parley.transceiver.session.SessionId;
import dev.parley.transceiver.session.SetupPhases;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this process, for those that know only their id, the places that they take, and a
 * memory of those that ended lately. Shared by all threads.
 */
public final class Calls implements MediaLoop.Listener {
    /** A call, the loop that carries it, and what its client and we have agreed on. */
    record Call(Session session, MediaLoop loop, Negotiation negotiation) {}

    /** A call that is over. */
    record Ended(EndedCall how, SetupPhases phases) {}

    /** Ended calls that are remembered at least: some minutes' worth. */
    private static final int MIN_ENDED = 1_024;

    /** A place for a call that is being set up. Closing it frees a place that was not filled. */
    final class Place implements AutoCloseable {
        private boolean filled;

        /** From now on the place belongs to the call, until it ends. */
        void fill(Session session, MediaLoop loop, Negotiation negotiation) {
            filled = true;
            byId.put(session.id(), new Call(session, loop, negotiation));
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
    private final Map<SessionId, Ended> ended = new LinkedHashMap<>();
    private final Sidebands sidebands = new Sidebands();
    private final Watchers watchers = new Watchers();
    private final LongAdder restarts = new LongAdder();
    private final LongAdder trickled = new LongAdder();

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

    /** Frees a call's place; its loop ends it, or will. Answers whether it was there. */
    boolean withdraw(Session session) {
        boolean found = byId.remove(session.id()) != null;
        if (found) {
            places.decrementAndGet();
        }
        return found;
    }

    /** Frees the place of a call that has ended, and remembers how. */
    @Override
    public void onEnded(Session session, EndedCall how) {
        synchronized (ended) {
            ended.put(session.id(), new Ended(how, session.phases()));
            // All that a process may have can end at once, when it stops.
            if (ended.size() > Math.max(MIN_ENDED, max)) {
                ended.remove(ended.keySet().iterator().next());
            }
        }
        var _ = withdraw(session);
        session.phases().observer().ended(how);
        sidebands.ended(session.id(), how);
    }

    /** Who else takes part in the calls' events. */
    public Sidebands sidebands() {
        return sidebands;
    }

    /** Who looks at the calls. */
    Watchers watchers() {
        return watchers;
    }

    /** All calls are over: gives those that look at them the time to see it. */
    public void awaitTold() {
        watchers.awaitTold();
    }

    /** A call that ended lately, or null. */
    @Nullable Ended findEnded(SessionId id) {
        synchronized (ended) {
            return ended.get(id);
        }
    }

    void restarted() {
        restarts.increment();
    }

    void trickled(int candidates) {
        trickled.add(candidates);
    }

    /** ICE restarts of all calls. */
    public long restarts() {
        return restarts.sum();
    }

    /** Candidates that clients have named after their offers. */
    public long candidates() {
        return trickled.sum();
    }

    /** Those that exist now. */
    Collection<Call> all() {
        return byId.values();
    }

    @Nullable Call find(SessionId id) {
        return byId.get(id);
    }

    /** Calls that exist or are being set up. */
    public int count() {
        return places.get();
    }

    /** Whether all places are taken. */
    boolean isFull() {
        return places.get() >= max;
    }

    public int max() {
        return max;
    }
}
