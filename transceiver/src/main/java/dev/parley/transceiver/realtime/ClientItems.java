package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.FunctionCallOutput;
import dev.parley.proto.inference.v1.ItemCreated;
import dev.parley.proto.inference.v1.ItemDeleted;
import dev.parley.proto.inference.v1.TextMessage;
import dev.parley.transceiver.inference.EventClient;
import dev.parley.transceiver.inference.EventSurface.Edge;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Items of a conversation that clients write, ask for and delete. Owned by the call's surface. */
final class ClientItems {
    private final Conversation conversation;
    private final CallerTurns caller;
    private final EventWriter events;
    private final Edge edge;

    ClientItems(Conversation conversation, CallerTurns caller, EventWriter events, Edge edge) {
        this.conversation = conversation;
        this.caller = caller;
        this.events = events;
        this.edge = edge;
    }

    /** {@code conversation.item.create} */
    void create(Fields event) throws EventRefusal {
        ObjectNode given = event.object("item");
        Fields item = new Fields(given, "item");
        String id = item.findId("id");
        String itemId = id == null ? conversation.idFor("", events) : id;
        if (conversation.contains(itemId)
                || caller.says(itemId)
                || itemId.equals(Conversation.ROOT)) {
            throw new EventRefusal(
                    ErrorCode.ITEM_ALREADY_EXISTS,
                    "There is an item with the id " + itemId + " already.",
                    "item.id");
        }
        ItemCreated.Builder created = ItemCreated.newBuilder().setItemId(itemId);
        read(item, created);
        ObjectNode json = given.deepCopy();
        json.put("id", itemId).put("object", "realtime.item");
        if (!json.has("status")) {
            json.put("status", "completed");
        }
        Json.requireTellable(json, "item");
        place(event.findId("previous_item_id"), itemId, json);
        String previous = conversation.previous(itemId);
        for (String what : new String[] {"added", "done"}) {
            ObjectNode told =
                    events.event("conversation.item." + what).put("previous_item_id", previous);
            told.set("item", json);
            events.sendAll(told);
        }
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setItemCreated(
                                created.setPreviousItemId(previous == null ? "" : previous)
                                        .setItemJson(json.toString()))
                        .build());
    }

    private void place(@Nullable String behind, String itemId, ObjectNode json)
            throws EventRefusal {
        if (behind == null) {
            conversation.add(itemId, json);
        } else if (!conversation.addBehind(behind, itemId, json)) {
            throw notFound(behind, "previous_item_id");
        }
    }

    private static void read(Fields item, ItemCreated.Builder created) throws EventRefusal {
        switch (item.string("type")) {
            case "message" ->
                    created.setMessage(
                            TextMessage.newBuilder().setRole(role(item)).setText(text(item)));
            case "function_call_output" ->
                    created.setFunctionCallOutput(
                            FunctionCallOutput.newBuilder()
                                    .setCallId(item.id("call_id"))
                                    .setOutput(item.string("output")));
            case "function_call" -> {
                var _ = item.string("name");
                var _ = item.string("arguments");
            }
            default ->
                    throw item.badValue(
                            "type", "\"message\", \"function_call\" or \"function_call_output\"");
        }
    }

    private static String role(Fields item) throws EventRefusal {
        String role = item.string("role");
        return switch (role) {
            case "user", "assistant", "system" -> role;
            default -> throw item.badValue("role", "\"user\", \"assistant\" or \"system\"");
        };
    }

    private static String text(Fields item) throws EventRefusal {
        ArrayNode content = item.findArray("content");
        StringJoiner text = new StringJoiner("\n");
        for (int i = 0; content != null && i < content.size(); i++) {
            String name = "content[" + i + "]";
            JsonNode node = content.get(i);
            if (!(node instanceof ObjectNode object)) {
                throw item.wrongType(name, "object");
            }
            Fields part = new Fields(object, item.path(name));
            String said =
                    switch (part.string("type")) {
                        case "input_text", "output_text", "text" -> part.string("text");
                        case "input_audio", "output_audio", "audio" ->
                                part.findString("transcript");
                        default -> null;
                    };
            if (said != null) {
                text.add(said);
            }
        }
        return text.toString();
    }

    /** {@code conversation.item.retrieve} */
    void retrieve(EventClient client, Fields event) throws EventRefusal {
        String id = event.id("item_id");
        ObjectNode item = conversation.find(id);
        if (item == null) {
            throw notFound(id, "item_id");
        }
        ObjectNode told = events.event("conversation.item.retrieved");
        told.set("item", item);
        events.send(client, told);
    }

    /** {@code conversation.item.delete} */
    void delete(Fields event) throws EventRefusal {
        String id = event.id("item_id");
        if (!conversation.remove(id)) {
            throw notFound(id, "item_id");
        }
        events.sendAll(events.event("conversation.item.deleted").put("item_id", id));
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setItemDeleted(ItemDeleted.newBuilder().setItemId(id))
                        .build());
    }

    private static EventRefusal notFound(String id, String param) {
        return new EventRefusal(
                ErrorCode.ITEM_NOT_FOUND, "There is no item with the id " + id + ".", param);
    }
}
