package dev.parley.signaling.net;

import io.helidon.webserver.ConnectionContext;

/** What those who take a connection over to another protocol tell the listener. */
public final class Upgrades {
    private Upgrades() {}

    /** The connection speaks another protocol from now on, which has limits of its own. */
    public static void done(ConnectionContext context) {
        if (context instanceof GuardedHttp.Watched watched) {
            watched.upgraded();
        }
    }
}
