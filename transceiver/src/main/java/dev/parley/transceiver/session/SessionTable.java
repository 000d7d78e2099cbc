package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IceLite;
import dev.parley.rtc.ice.IcePath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one media loop: by id, which a check's ufrag tells, and by client address, but
 * only by one that an authenticated check has come from. Owned by the loop.
 */
final class SessionTable {
    /** Of one client address. Each datagram from there is tried with all of them. */
    static final int MAX_SESSIONS_OF_ADDRESS = 4;

    private final Map<SessionId, Session> byId = new HashMap<>();
    private final PeerTable<Session> byPeer;
    private final Timers<Session> timers = new Timers<>();

    SessionTable(long seed) {
        byPeer = new PeerTable<>(seed);
    }

    void add(Session session, long nowNanos) {
        byId.put(session.id(), session);
        timers.schedule(session.timer(), session.deadlineNanos(nowNanos));
    }

    void remove(Session session) {
        byId.remove(session.id());
        timers.cancel(session.timer());
        IceLite ice = session.ice();
        for (int i = 0; i < ice.pathCount(); i++) {
            forget(session, ice.path(i));
        }
    }

    @Nullable Session find(long idHigh, long idLow) {
        return byId.get(new SessionId(idHigh, idLow));
    }

    boolean contains(Session session) {
        return byId.get(session.id()) == session;
    }

    List<Session> all() {
        return List.copyOf(byId.values());
    }

    int size() {
        return byId.size();
    }

    /** Sessions times the client addresses that each is known by. */
    int peers() {
        return byPeer.size();
    }

    /**
     * Notes that a session has authenticated a check from a path: it is the first there now.
     *
     * @return whether another one had to leave the address, until its next check
     */
    @SuppressWarnings("ReferenceEquality") // A session is itself, whatever equals says.
    boolean checked(Session session, IcePath from, long nowNanos) {
        boolean added = byPeer.put(from.clientHigh(), from.clientLow(), from.clientPort(), session);
        if (session.ice().hasArrived()) {
            for (int other = firstPeer(from); other >= 0; other = nextPeer(other)) {
                if (peer(other) != session) {
                    peer(other).ice().contest(from);
                }
            }
        }
        IcePath forgotten = session.ice().pollForgotten();
        if (forgotten != null && !isClientOfAnyPath(session.ice(), forgotten)) {
            forget(session, forgotten);
        }
        return added && makeRoom(session, from, nowNanos);
    }

    /** Whoever forges an address does not keep up with a client that is heard there. */
    @SuppressWarnings("ReferenceEquality") // A session is itself, whatever equals says.
    private boolean makeRoom(Session newcomer, IcePath from, long nowNanos) {
        Session silent = newcomer;
        long silence = Long.MIN_VALUE;
        int count = 0;
        for (int other = firstPeer(from); other >= 0; other = nextPeer(other)) {
            long silentNanos = peer(other).ice().silentNanos(from, nowNanos);
            if (peer(other) != newcomer && silentNanos > silence) {
                silent = peer(other);
                silence = silentNanos;
            }
            count++;
        }
        if (count <= MAX_SESSIONS_OF_ADDRESS) {
            return false;
        }
        forget(silent, from);
        return true;
    }

    /** One client address may reach us by several public addresses. */
    private static boolean isClientOfAnyPath(IceLite ice, IcePath path) {
        for (int i = 0; i < ice.pathCount(); i++) {
            IcePath other = ice.path(i);
            if (other.clientLow() == path.clientLow()
                    && other.clientPort() == path.clientPort()
                    && other.clientHigh() == path.clientHigh()) {
                return true;
            }
        }
        return false;
    }

    private void forget(Session session, IcePath path) {
        byPeer.remove(path.clientHigh(), path.clientLow(), path.clientPort(), session);
    }

    /** Position of the session checked last from this client address, or -1. */
    int firstPeer(IcePath from) {
        return byPeer.first(from.clientHigh(), from.clientLow(), from.clientPort());
    }

    /** Position of the next session with the same client address, or -1. */
    int nextPeer(int position) {
        return byPeer.next(position);
    }

    Session peer(int position) {
        return byPeer.session(position);
    }

    /** The session whose deadline has come, or null. */
    @Nullable Session due(long nowNanos) {
        Timers.Entry<Session> entry = timers.due(nowNanos);
        return entry == null ? null : entry.owner();
    }

    /** Sets a session's deadline anew after its timer went off. */
    void reschedule(Session session, long nowNanos) {
        timers.schedule(session.timer(), session.deadlineNanos(nowNanos));
    }

    /** Moves a session's deadline if something now is due earlier. */
    void hasten(Session session, long nowNanos) {
        long deadline = session.deadlineNanos(nowNanos);
        if (deadline - session.timer().deadlineNanos() < 0) {
            timers.schedule(session.timer(), deadline);
        }
    }

    long untilNext(long nowNanos, long limitNanos) {
        return timers.untilNext(nowNanos, limitNanos);
    }
}
