package dev.parley.signaling.net;

import io.helidon.webserver.ConnectionContext;

/** What those who take a connection over to another protocol tell the listener. */
public final class Upgrades {
    private Upgrades() {}

    /**
     * The connection speaks WebSocket from now on.
     *
     * @param maxFrameBytes most of a frame that is kept until all of it is there
     */
    public static void done(ConnectionContext context, int maxFrameBytes) {
        if (context instanceof GuardedHttp.Watched watched) {
            watched.upgraded(maxFrameBytes);
        }
    }
}
