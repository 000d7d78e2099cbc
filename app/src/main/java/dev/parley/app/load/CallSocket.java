package dev.parley.app.load;

import dev.parley.runtime.udp.UdpPort;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port of a loop and the calls on it: one, or several with addresses of their own, as the
 * loopback network has plenty of. Owned by its loop.
 */
final class CallSocket {
    private final UdpPort port;
    private final int capacity;
    private final Map<Long, LoadCall> byAddress = new HashMap<>();
    private @Nullable LoadCall only;
    private int used;
    private long drops;

    /**
     * @param capacity calls that it takes during its life
     */
    CallSocket(UdpPort port, int capacity) {
        this.port = port;
        this.capacity = capacity;
    }

    UdpPort port() {
        return port;
    }

    boolean hasRoom() {
        return used < capacity;
    }

    boolean isShared() {
        return capacity > 1;
    }

    boolean isEmpty() {
        return byAddress.isEmpty() && only == null;
    }

    /** Takes a call in, under an address of its own if it is not alone here. */
    void add(LoadCall call, long localLow) {
        used++;
        call.socket(this);
        call.localLow(localLow);
        if (isShared()) {
            byAddress.put(localLow, call);
        } else {
            only = call;
        }
    }

    void remove(LoadCall call) {
        if (isShared()) {
            byAddress.remove(call.localLow());
        } else {
            only = null;
        }
    }

    /** How many of the kernel's drops are new since the last time. */
    long newDrops(long dropsSoFar) {
        long fresh = dropsSoFar - drops;
        drops = dropsSoFar;
        return fresh;
    }

    /** Whose a datagram is that came to this address; null when nobody's. */
    @Nullable LoadCall find(long localLow) {
        return isShared() ? byAddress.get(localLow) : only;
    }
}
