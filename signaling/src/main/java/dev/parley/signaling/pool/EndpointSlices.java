package dev.parley.signaling.pool;

import com.fasterxml.jackson.databind.JsonNode;
import dev.parley.runtime.config.HostPort;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The ready endpoints of one Kubernetes service, as its EndpointSlices tell them. A service has
 * several slices, and each is told as a whole. Owned by the thread that watches.
 */
final class EndpointSlices {
    private final int port;
    private final Map<String, Set<HostPort>> bySlice = new HashMap<>();

    /**
     * @param port of each endpoint
     */
    EndpointSlices(int port) {
        this.port = port;
    }

    /** Forgets all. */
    void clear() {
        bySlice.clear();
    }

    /** A slice is there, or has changed. */
    void put(JsonNode slice) {
        Set<HostPort> ready = new LinkedHashSet<>();
        for (JsonNode endpoint : slice.path("endpoints")) {
            // Unknown is to be taken for ready.
            if (endpoint.path("conditions").path("ready").asBoolean(true)) {
                endpoint.path("addresses")
                        .forEach(address -> ready.add(new HostPort(address.asText(), port)));
            }
        }
        bySlice.put(name(slice), ready);
    }

    /** A slice is gone. */
    void remove(JsonNode slice) {
        bySlice.remove(name(slice));
    }

    private static String name(JsonNode slice) {
        return slice.path("metadata").path("name").asText("");
    }

    /** All ready endpoints; an address may stand in two slices while it moves. */
    Set<HostPort> ready() {
        Set<HostPort> all = new LinkedHashSet<>();
        bySlice.values().forEach(all::addAll);
        return all;
    }
}
