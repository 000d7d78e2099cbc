package dev.parley.transceiver.control;

import dev.parley.transceiver.session.EndedCall;
import dev.parley.transceiver.session.SessionId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/** The sidebands of all calls, of which each call has a few at most. Shared by all threads. */
public final class Sidebands {
    /** Most of one call. */
    static final int MAX_PER_CALL = 8;

    private final Map<SessionId, List<Sideband>> joined = new ConcurrentHashMap<>();
    private final LongAdder slow = new LongAdder();

    /** Takes one in; false when the call has as many as it can. */
    boolean add(SessionId call, Sideband sideband) {
        List<Sideband> now =
                joined.compute(
                        call,
                        (_, there) -> {
                            List<Sideband> all =
                                    there == null ? new CopyOnWriteArrayList<>() : there;
                            if (all.size() < MAX_PER_CALL) {
                                all.add(sideband);
                            }
                            return all;
                        });
        return now.contains(sideband);
    }

    void remove(SessionId call, Sideband sideband) {
        joined.computeIfPresent(
                call,
                (_, there) -> {
                    there.remove(sideband);
                    return there.isEmpty() ? null : there;
                });
    }

    /** A call is over: its sidebands are told how. */
    void ended(SessionId call, EndedCall how) {
        List<Sideband> there = joined.remove(call);
        if (there != null) {
            there.forEach(sideband -> sideband.over(how));
        }
    }

    void tooSlow() {
        slow.increment();
    }

    /** Sidebands that take part in calls now. */
    public long count() {
        return joined.values().stream().mapToLong(List::size).sum();
    }

    /** Sidebands that were parted with because they did not read. */
    public long slow() {
        return slow.sum();
    }
}
