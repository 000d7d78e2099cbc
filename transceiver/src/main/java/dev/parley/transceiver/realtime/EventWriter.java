package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.transceiver.inference.EventClient;
import dev.parley.transceiver.inference.EventSurface.Edge;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sends a call's clients their events and makes the ids in them. Owned by the call's surface. */
final class EventWriter {
    /** So many of inference's names become ids; after them all ids are the edge's own. */
    private static final int MAX_NAMED = 8_192;

    private final Edge edge;
    private final RealtimeCounters counters;
    private final String base;
    private final Set<String> named = new HashSet<>();
    private long ids;

    /**
     * @param base what ids of this call have in common
     */
    EventWriter(Edge edge, RealtimeCounters counters, String base) {
        this.edge = edge;
        this.counters = counters;
        this.base = base;
    }

    /** An id that the call has not used yet: the prefix, the call's part, and a number. */
    String newId(String prefix) {
        ids++;
        return prefix + "_" + base + "_" + ids;
    }

    /**
     * The id of what inference calls so: that name, where it can be an id and was none before, else
     * a new one.
     */
    String idFor(String prefix, String name) {
        boolean usable =
                !name.isEmpty()
                        && name.length() <= Fields.MAX_ID_CHARS
                        && !name.contains("_" + base + "_")
                        && named.size() < MAX_NAMED
                        && named.add(prefix + name);
        return usable ? name : newId(prefix);
    }

    /** A new event, to be filled in and sent. */
    ObjectNode event(String type) {
        return Json.object().put("type", type).put("event_id", newId("event"));
    }

    void sendAll(ObjectNode event) {
        edge.tellAll(event.toString());
    }

    void send(EventClient client, ObjectNode event) {
        edge.tell(client, event.toString());
    }

    /**
     * Tells of an error.
     *
     * @param client who is told; null for all
     * @param causedBy the {@code event_id} of the client's event, null when it had none
     */
    void error(@Nullable EventClient client, EventRefusal refusal, @Nullable String causedBy) {
        counters.error(refusal.code());
        ObjectNode event = error(refusal.code().code(), refusal.reason(), refusal.param());
        event.withObject("/error").put("type", "invalid_request_error").put("event_id", causedBy);
        if (client == null) {
            sendAll(event);
        } else {
            send(client, event);
        }
    }

    /** Tells all of an error of inference. */
    void serverError(String code, String message) {
        counters.error(ErrorCode.SERVER_ERROR);
        ObjectNode event = error(code, message, null);
        event.withObject("/error").put("type", "server_error").putNull("event_id");
        sendAll(event);
    }

    private ObjectNode error(String code, String message, @Nullable String param) {
        ObjectNode event = event("error");
        event.putObject("error").put("code", code).put("message", message).put("param", param);
        return event;
    }
}
