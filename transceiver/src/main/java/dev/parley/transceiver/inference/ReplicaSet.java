package dev.parley.transceiver.inference;

import dev.parley.runtime.config.HostPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The processes that serve the same models, found by the names and addresses of one entry of the
 * config. A call goes to the one that has the fewest of our streams: calls last minutes, so taking
 * turns would leave the loads apart for as long. Shared by all threads; owned by {@link Backends}.
 */
final class ReplicaSet {
    private final List<HostPort> targets;
    private final BiFunction<HostPort, InetSocketAddress, Replica.Connection> connector;
    private final AtomicInteger turn = new AtomicInteger();
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();
    private volatile Map<InetSocketAddress, Replica> replicas = Map.of();
    private boolean closed;

    /**
     * @param connector makes the connection to an address that a name stands for
     */
    ReplicaSet(
            List<HostPort> targets,
            BiFunction<HostPort, InetSocketAddress, Replica.Connection> connector) {
        this.targets = targets;
        this.connector = connector;
    }

    /** Looks the names up again, which may block; what is not found any more gets no new calls. */
    void refresh() {
        Map<InetSocketAddress, HostPort> found = new LinkedHashMap<>();
        boolean complete = true;
        for (HostPort target : targets) {
            try {
                for (InetAddress address : InetAddress.getAllByName(target.host())) {
                    found.putIfAbsent(new InetSocketAddress(address, target.port()), target);
                }
            } catch (UnknownHostException _) {
                complete = false;
            }
        }
        // A name service that is out of order takes nobody's backends away.
        use(found, complete);
    }

    private synchronized void use(Map<InetSocketAddress, HostPort> found, boolean complete) {
        if (closed) {
            return;
        }
        Map<InetSocketAddress, Replica> before = replicas;
        Map<InetSocketAddress, Replica> now = new LinkedHashMap<>(complete ? Map.of() : before);
        found.forEach(
                (address, target) -> {
                    Replica known = before.get(address);
                    now.put(address, known == null ? connect(target, address) : known);
                });
        replicas = now;
        before.forEach(
                (address, replica) -> {
                    if (!now.containsKey(address)) {
                        replica.retire();
                    }
                });
    }

    private Replica connect(HostPort target, InetSocketAddress address) {
        Replica.Connection connection = connector.apply(target, address);
        // Connected from the start, so that no call waits for it.
        var _ = connection.channel().getState(true);
        String literal = HostPort.of(address).toString();
        String name =
                literal.equals(target.toString()) ? literal : literal + " (" + target.host() + ")";
        return new Replica(name, connection, this::ready);
    }

    /** Has somebody told, once, when one of them has been connected to. */
    void onceReady(Runnable told) {
        waiting.add(told);
    }

    /** It need not be told any more. */
    void forget(Runnable told) {
        waiting.remove(told);
    }

    private void ready() {
        for (Runnable each : List.copyOf(waiting)) {
            if (waiting.remove(each)) {
                each.run();
            }
        }
    }

    /** Whether a name is among the targets, which may come to stand for other addresses. */
    boolean hasNames() {
        return targets.stream().anyMatch(target -> !isLiteral(target.host()));
    }

    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0
                || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }

    /** Who should take the next stream, null when everybody has been tried. */
    @Nullable Replica pick(Collection<Replica> tried, long nowNanos) {
        List<Replica> all = new ArrayList<>(replicas.values());
        int first = all.isEmpty() ? 0 : Math.floorMod(turn.getAndIncrement(), all.size());
        Replica best = null;
        int bestReluctance = 0;
        for (int i = 0; i < all.size(); i++) {
            Replica each = all.get((first + i) % all.size());
            if (tried.contains(each)) {
                continue;
            }
            int reluctance = each.reluctance(nowNanos);
            if (best == null
                    || reluctance < bestReluctance
                    || (reluctance == bestReluctance && each.streams() < best.streams())) {
                best = each;
                bestReluctance = reluctance;
            }
        }
        return best;
    }

    /** All that are there now. */
    Collection<Replica> all() {
        return replicas.values();
    }

    /** Takes no new streams. */
    synchronized Collection<Replica> close() {
        closed = true;
        replicas.values().forEach(Replica::retire);
        return replicas.values();
    }

    @Override
    public String toString() {
        return String.join(" ", targets.stream().map(HostPort::toString).toList());
    }
}
