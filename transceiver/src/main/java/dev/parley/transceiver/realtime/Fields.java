package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the fields of one object of an event; what is wrong is refused by its path. */
final class Fields {
    /** Longest id that a client may choose. */
    static final int MAX_ID_CHARS = 512;

    private final ObjectNode object;
    private final String path;

    /**
     * @param path of the object in the event, empty for the event itself
     */
    Fields(ObjectNode object, String path) {
        this.object = object;
        this.path = path;
    }

    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** The field, or null when it is absent or null. */
    @Nullable JsonNode find(String name) {
        JsonNode node = object.get(name);
        return node == null || node.isNull() ? null : node;
    }

    /** Like {@link #find}, but only of this type. */
    private @Nullable JsonNode find(String name, JsonNodeType type) throws EventRefusal {
        JsonNode node = find(name);
        if (node != null && node.getNodeType() != type) {
            throw wrongType(name, type.name().toLowerCase(Locale.ROOT));
        }
        return node;
    }

    EventRefusal wrongType(String name, String wanted) {
        return new EventRefusal(
                ErrorCode.INVALID_TYPE,
                path(name) + " must be of type " + wanted + ".",
                path(name));
    }

    EventRefusal badValue(String name, String wanted) {
        return new EventRefusal(
                ErrorCode.INVALID_VALUE, path(name) + " must be " + wanted + ".", path(name));
    }

    private EventRefusal missing(String name) {
        return new EventRefusal(
                ErrorCode.MISSING_REQUIRED_PARAMETER, path(name) + " is missing.", path(name));
    }

    @Nullable String findString(String name) throws EventRefusal {
        JsonNode node = find(name, JsonNodeType.STRING);
        return node == null ? null : node.textValue();
    }

    String string(String name) throws EventRefusal {
        String value = findString(name);
        if (value == null) {
            throw missing(name);
        }
        return value;
    }

    @Nullable String findId(String name) throws EventRefusal {
        String id = findString(name);
        if (id != null && (id.isEmpty() || id.length() > MAX_ID_CHARS)) {
            throw badValue(name, "1 to " + MAX_ID_CHARS + " characters long");
        }
        return id;
    }

    String id(String name) throws EventRefusal {
        String id = findId(name);
        if (id == null) {
            throw missing(name);
        }
        return id;
    }

    @Nullable ObjectNode findObject(String name) throws EventRefusal {
        return (ObjectNode) find(name, JsonNodeType.OBJECT);
    }

    ObjectNode object(String name) throws EventRefusal {
        ObjectNode value = findObject(name);
        if (value == null) {
            throw missing(name);
        }
        return value;
    }

    @Nullable ArrayNode findArray(String name) throws EventRefusal {
        return (ArrayNode) find(name, JsonNodeType.ARRAY);
    }

    boolean bool(String name, boolean orElse) throws EventRefusal {
        JsonNode node = find(name, JsonNodeType.BOOLEAN);
        return node == null ? orElse : node.booleanValue();
    }

    /** A number from {@code least} to {@code most}. */
    double number(String name, double least, double most, double orElse) throws EventRefusal {
        JsonNode node = find(name, JsonNodeType.NUMBER);
        double value = node == null ? orElse : node.doubleValue();
        if (!(value >= least && value <= most)) {
            throw badValue(name, "from " + least + " to " + most);
        }
        return value;
    }

    /** A whole number from 0 to {@code most}. */
    int whole(String name, int most, int orElse) throws EventRefusal {
        return whole(name, 0, most, orElse);
    }

    /** A whole number from {@code least} to {@code most}. */
    int whole(String name, int least, int most, int orElse) throws EventRefusal {
        JsonNode node = find(name, JsonNodeType.NUMBER);
        if (node == null) {
            return orElse;
        }
        double value = node.doubleValue();
        if (value < least || value > most || value != Math.rint(value)) {
            throw badValue(name, "a whole number from " + least + " to " + most);
        }
        return (int) value;
    }

    int requiredWhole(String name, int most) throws EventRefusal {
        if (find(name) == null) {
            throw missing(name);
        }
        return whole(name, most, 0);
    }
}
