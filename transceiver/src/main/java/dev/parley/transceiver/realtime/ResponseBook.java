package dev.parley.transceiver.realtime;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The latest responses of a call by the names that inference gives them, which it may give again.
 * Owned by {@link Responses}.
 */
final class ResponseBook {
    /** Responses of which something may still come. */
    private static final int MAX_RESPONSES = 64;

    private final Map<String, Response> byName = new LinkedHashMap<>();

    /** Remembers a response by its name in place of another of that name, which is answered. */
    @Nullable Response put(Response response) {
        Response before = byName.remove(response.name);
        byName.put(response.name, response);
        if (byName.size() > MAX_RESPONSES) {
            var oldest = byName.values().iterator();
            oldest.next().heardOut();
            oldest.remove();
        }
        return before;
    }

    /** Calls a response by another name from now on; answers the one that had it, if any. */
    @Nullable Response rename(Response response, String name) {
        byName.remove(response.name);
        response.name = name;
        return put(response);
    }

    @Nullable Response find(String name) {
        return byName.get(name);
    }

    /** All of them, the oldest first; a copy. */
    List<Response> all() {
        return List.copyOf(byName.values());
    }

    /** The response that is being made, or null. */
    @Nullable Response findActive() {
        for (Response response : byName.values()) {
            if (!response.done) {
                return response;
            }
        }
        return null;
    }

    /** The response that a client has asked for and that has not begun, or null. */
    @Nullable Response findPending() {
        Response active = findActive();
        return active != null && active.pending ? active : null;
    }

    /** Whether nothing is being made or heard. */
    boolean quiet() {
        return byName.values().stream().allMatch(each -> each.done && !each.audioWaits);
    }
}
