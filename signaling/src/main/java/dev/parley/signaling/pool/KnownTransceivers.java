package dev.parley.signaling.pool;

import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.udp.IpAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which control addresses are transceivers of this cluster, so that nobody who asks for one can
 * have us connect to anything else: those that have answered since this process started, and those
 * in configured ranges, whose calls may be older than this process. Any thread may ask.
 */
public final class KnownTransceivers {
    /** Most that are remembered; the one that was not heard of for longest is forgotten. */
    private static final int MAX = 4_096;

    private final List<Cidr> ranges;
    private final Set<Integer> ports;
    private final Map<InetSocketAddress, Boolean> answered =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Boolean> eldest) {
                    return size() > MAX;
                }
            };

    /**
     * Knows nobody yet.
     *
     * @param ranges where transceivers may be that are not found any more
     * @param ports that they have there
     */
    public KnownTransceivers(List<Cidr> ranges, Set<Integer> ports) {
        this.ranges = List.copyOf(ranges);
        this.ports = Set.copyOf(ports);
    }

    /** One has answered. */
    synchronized void answered(@Nullable InetSocketAddress control) {
        if (control != null) {
            answered.put(control, true);
        }
    }

    /** Whether an address is a transceiver's. */
    boolean has(InetSocketAddress control) {
        return hasAnswered(control)
                || (ports.contains(control.getPort())
                        && ranges.stream().anyMatch(range -> isIn(range, control)));
    }

    private synchronized boolean hasAnswered(InetSocketAddress control) {
        return answered.containsKey(control);
    }

    private static boolean isIn(Cidr range, InetSocketAddress control) {
        return range.contains(
                IpAddress.high(control.getAddress()), IpAddress.low(control.getAddress()));
    }
}
