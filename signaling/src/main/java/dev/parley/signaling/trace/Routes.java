package dev.parley.signaling.trace;

import java.util.ArrayList;
import java.util.List;

/** Paths of the call interfaces without what differs from call to call. */
final class Routes {
    private Routes() {}

    /** The route; empty for a path that has nothing to do with calls. */
    static String of(String path) {
        List<String> parts = new ArrayList<>(List.of(path.split("/")));
        if (path.startsWith("/v1/realtime")) {
            if (parts.size() > 4) {
                parts.set(4, "{id}");
            }
            return known(parts.size() > 3 && !parts.get(3).equals("calls"), parts);
        }
        if (path.startsWith("/whip") && parts.size() > 2) {
            boolean session = parts.get(2).equals("sessions") && parts.size() > 3;
            parts.set(session ? 3 : 2, session ? "{id}" : "{model}");
        }
        return known(!path.startsWith("/whip"), parts);
    }

    private static String known(boolean strange, List<String> parts) {
        return strange ? "" : String.join("/", parts);
    }
}
