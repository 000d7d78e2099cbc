package dev.parley.transceiver.control;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.transceiver.session.SessionId;
import java.net.InetSocketAddress;

/** Mints the ufrags of the sessions of one media loop. Safe for all threads. */
public final class RouteMint {
    private RouteTokens tokens;
    private int keyId;
    private final int clusterId;
    private final InetSocketAddress media;

    /**
     * @param media the loop's socket as relays reach it
     */
    public RouteMint(RouteKeys keys, int keyId, int clusterId, InetSocketAddress media) {
        this.tokens = new RouteTokens(keys);
        this.keyId = keyId;
        this.clusterId = clusterId;
        this.media = media;
    }

    /** Seals new tokens with another key from now on. */
    public synchronized void useKey(RouteKeys keys, int id) {
        tokens = new RouteTokens(keys);
        keyId = id;
    }

    /**
     * The ufrag that leads to a session.
     *
     * @param generation ICE restarts before
     */
    synchronized String mint(SessionId id, int generation) {
        return tokens.mint(
                keyId,
                id.high(),
                id.low(),
                clusterId,
                IpAddress.high(media.getAddress()),
                IpAddress.low(media.getAddress()),
                media.getPort(),
                generation);
    }
}
