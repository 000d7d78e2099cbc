package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was said in one call, item by item, as clients may ask for it. Bounded: the oldest items are
 * forgotten first. Owned by the call's surface.
 */
final class Conversation {
    static final int MAX_ITEMS = 1_000;
    static final long MAX_CHARS = 4L * Json.MAX_CHARS;

    /** Names the place in front of all items. */
    static final String ROOT = "root";

    private record Entry(ObjectNode json, long chars) {}

    private final List<String> order = new ArrayList<>();
    private final Map<String, Entry> items = new HashMap<>();
    private long chars;

    boolean contains(String id) {
        return items.containsKey(id);
    }

    /**
     * An id that no item has: what somebody calls it, where that can be one, else a new one.
     *
     * @param name may be empty
     */
    String idFor(String name, EventWriter events) {
        String id =
                contains(name) || name.equals(ROOT)
                        ? events.newId("item")
                        : events.idFor("item", name);
        while (contains(id)) {
            id = events.newId("item");
        }
        return id;
    }

    /** The item, to be changed only by {@link #replace}, or null. */
    @Nullable ObjectNode find(String id) {
        Entry entry = items.get(id);
        return entry == null ? null : entry.json();
    }

    /** The item before this one, or null when it is the first. */
    @Nullable String previous(String id) {
        int at = order.lastIndexOf(id);
        return at <= 0 ? null : order.get(at - 1);
    }

    /** The last item, or null. */
    @Nullable String last() {
        return order.isEmpty() ? null : order.getLast();
    }

    /** Adds an item at the end. */
    void add(String id, ObjectNode json) {
        add(id, json, order.size());
    }

    /**
     * Adds an item behind another, or in front for {@link #ROOT}.
     *
     * @return false when the other is not there
     */
    boolean addBehind(String previous, String id, ObjectNode json) {
        int at = previous.equals(ROOT) ? 0 : order.lastIndexOf(previous) + 1;
        if (at == 0 && !previous.equals(ROOT)) {
            return false;
        }
        add(id, json, at);
        return true;
    }

    private void add(String id, ObjectNode json, int at) {
        order.add(at, id);
        put(id, json);
        while (order.size() > MAX_ITEMS || (chars > MAX_CHARS && order.size() > 1)) {
            forget(order.removeFirst());
        }
    }

    /** Replaces an item in its place, if it is still known. */
    void replace(String id, ObjectNode json) {
        if (contains(id)) {
            forget(id);
            put(id, json);
        }
    }

    /** Removes an item; false when it is not there. */
    boolean remove(String id) {
        return forget(id) && order.remove(id);
    }

    private void put(String id, ObjectNode json) {
        Entry entry = new Entry(json, json.toString().length());
        chars += entry.chars();
        items.put(id, entry);
    }

    private boolean forget(String id) {
        Entry entry = items.remove(id);
        if (entry != null) {
            chars -= entry.chars();
        }
        return entry != null;
    }
}
