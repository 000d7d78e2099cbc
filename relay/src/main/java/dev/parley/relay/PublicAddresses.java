package dev.parley.relay;

import dev.parley.runtime.udp.IpAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The public addresses of a worker's sockets by small index, which is part of every flow's key. The
 * first ones are the sockets themselves, in order. A socket bound to a wildcard gets a further one
 * for each local address that its datagrams were sent to, as far as the port tells it; beyond
 * {@link #MAX} its datagrams share the socket's own. Indexes from {@link #MAX} on are of addresses
 * that relays of other clusters named first; they may turn out to be ours too. Owned by a worker.
 */
final class PublicAddresses {
    static final int NONE = -1;

    /** Most addresses of all sockets together. */
    static final int MAX = 256;

    /** Most addresses of other clusters' relays; a power of two. */
    static final int MAX_FOREIGN = 4_096;

    /** Places that an address of another cluster may have. */
    private static final int FOREIGN_PROBES = 32;

    private final long[] highs = new long[MAX];
    private final long[] lows = new long[MAX];
    private final int[] ports = new int[MAX];
    private final int[] socketOf = new int[MAX];
    private final boolean[] wildcard;
    private final boolean[] ipv6;
    private final long[] foreignHighs = new long[MAX_FOREIGN];
    private final long[] foreignLows = new long[MAX_FOREIGN];
    // 0 for a free place, as no address is without a port.
    private final int[] foreignPorts = new int[MAX_FOREIGN];
    // The wildcard socket that such an address turned out to be ours by, plus one (anycast).
    private final int[] foreignSockets = new int[MAX_FOREIGN];
    private int count;
    private int lastFound;

    PublicAddresses(List<InetSocketAddress> sockets) {
        wildcard = new boolean[sockets.size()];
        ipv6 = new boolean[sockets.size()];
        for (int i = 0; i < sockets.size(); i++) {
            InetSocketAddress bound = sockets.get(i);
            long high = IpAddress.high(bound.getAddress());
            long low = IpAddress.low(bound.getAddress());
            wildcard[i] = bound.getAddress().isAnyLocalAddress();
            ipv6[i] = !IpAddress.isIpv4(high, low);
            var _ = add(i, high, low, bound.getPort());
        }
    }

    /**
     * The index of the address that a received datagram was sent to.
     *
     * @param localHigh what the port told, both halves 0 for nothing
     */
    int used(int socket, long localHigh, long localLow) {
        if (!wildcard[socket] || (localHigh | localLow) == 0) {
            return socket;
        }
        int known = find(localHigh, localLow, ports[socket]);
        if (known == NONE) {
            return socket;
        }
        if (isForeign(known)) {
            // Flows of clients that come in elsewhere have its number, so it keeps that.
            foreignSockets[known - MAX] = socket + 1;
        }
        return known;
    }

    /** The index of a public address that a transceiver names, or {@link #NONE}. */
    int find(long high, long low, int port) {
        int known = known(high, low, port);
        return known == NONE ? learn(high, low, port) : known;
    }

    /** The index of an address that was met before, or {@link #NONE}. */
    int known(long high, long low, int port) {
        if (matches(lastFound, high, low, port)) {
            return lastFound;
        }
        for (int i = 0; i < count; i++) {
            if (matches(i, high, low, port)) {
                lastFound = i;
                return i;
            }
        }
        return foreign(high, low, port, false);
    }

    /**
     * The index of an address that a relay of another cluster names as the one its client uses, or
     * {@link #NONE} when there are too many. It may be one of ours as well: anycast.
     */
    int usedElsewhere(long high, long low, int port) {
        int known = known(high, low, port);
        return known == NONE ? foreign(high, low, port, true) : known;
    }

    private int foreign(long high, long low, int port, boolean add) {
        long mixed = (high * 31 + low) * 0x9E37_79B9_7F4A_7C15L + port * 0xC2B2_AE3D_27D4_EB4FL;
        int home = (int) (mixed >>> 40);
        for (int probe = 0; probe < FOREIGN_PROBES; probe++) {
            int place = (home + probe) & (MAX_FOREIGN - 1);
            if (foreignPorts[place] == 0) {
                if (!add || port == 0) {
                    return NONE;
                }
                foreignHighs[place] = high;
                foreignLows[place] = low;
                foreignPorts[place] = port;
                return MAX + place;
            }
            if (foreignPorts[place] == port
                    && foreignLows[place] == low
                    && foreignHighs[place] == high) {
                return MAX + place;
            }
        }
        return NONE;
    }

    /** Whether an index is of an address that only other clusters' relays serve. */
    boolean isForeign(int index) {
        return index >= MAX && foreignSockets[index - MAX] == 0;
    }

    private boolean matches(int i, long high, long low, int port) {
        return lows[i] == low && highs[i] == high && ports[i] == port;
    }

    /** Takes an address for one that a wildcard socket serves, if that can be. */
    int learn(long high, long low, int port) {
        for (int socket = 0; socket < wildcard.length; socket++) {
            boolean reachable = ipv6[socket] || IpAddress.isIpv4(high, low);
            if (wildcard[socket] && reachable && ports[socket] == port) {
                return add(socket, high, low, port);
            }
        }
        return NONE;
    }

    private int add(int socket, long high, long low, int port) {
        if (count == MAX) {
            return NONE;
        }
        highs[count] = high;
        lows[count] = low;
        ports[count] = port;
        socketOf[count] = socket;
        return count++;
    }

    long high(int index) {
        return index >= MAX ? foreignHighs[index - MAX] : highs[index];
    }

    long low(int index) {
        return index >= MAX ? foreignLows[index - MAX] : lows[index];
    }

    int port(int index) {
        return index >= MAX ? foreignPorts[index - MAX] : ports[index];
    }

    /** The socket of an address that is not foreign. */
    int socket(int index) {
        return index >= MAX ? foreignSockets[index - MAX] - 1 : socketOf[index];
    }

    /** Whether datagrams must be told to leave from this address: their socket is a wildcard. */
    boolean isLearnt(int index) {
        return index >= wildcard.length;
    }
}
