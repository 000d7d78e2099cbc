package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.Usage;
import dev.parley.transceiver.inference.EventSurface;
import dev.parley.transceiver.realtime.ResponseItem.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One turn of the agent and what clients are told of it. Owned by {@link Responses}. */
final class Response {
    /** More items than that are no response. */
    private static final int MAX_ITEMS = 128;

    /** How a response ended. */
    enum Status {
        COMPLETED("completed"),
        CANCELLED("cancelled"),
        FAILED("failed"),
        INCOMPLETE("incomplete");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** The end of a response, and why. */
    record End(Status status, String reason, String message, @Nullable Usage usage) {
        static final End COMPLETED = new End(Status.COMPLETED, "", "", null);

        static End cancelled(String reason) {
            return new End(Status.CANCELLED, reason, "", null);
        }
    }

    private final RealtimeSession session;
    private final Conversation conversation;
    private final EventWriter events;

    final String id;
    final @Nullable ObjectNode options;

    /** Inference's name for it. */
    String name;

    final List<ResponseItem> items = new ArrayList<>();

    /** A client has asked for it and nothing of it has come yet. */
    boolean pending;

    /** Inference is going to say when it is done. */
    boolean explicit;

    boolean done;

    /** What still comes of it is not wanted. */
    boolean dropped;

    /** Audio has come of it. */
    boolean hasAudio;

    /** What waited of it was thrown away. */
    boolean cut;

    /** Audio has come of it which the caller has not heard yet. */
    boolean audioWaits;

    /** Nothing of it is being heard. */
    boolean dry = true;

    /** Clients know that it is being heard. */
    boolean heard;

    /** When to take it for done, or failed when nothing has come. */
    long deadlineNanos = EventSurface.NEVER;

    /** Why it is being cleared, until that is done; empty when it is not. */
    String clearing = "";

    Response(
            RealtimeSession session,
            Conversation conversation,
            EventWriter events,
            String id,
            String name,
            @Nullable ObjectNode options) {
        this.session = session;
        this.conversation = conversation;
        this.events = events;
        this.id = id;
        this.name = name;
        this.options = options;
    }

    private boolean inConversation() {
        return options == null || !"none".equals(options.path("conversation").textValue());
    }

    void tellCreated() {
        ObjectNode event = events.event("response.created");
        event.set("response", ResponseJson.inProgress(id, items, options, session.json()));
        events.sendAll(event);
    }

    // --- items

    /** The item that has this name, or null. */
    @Nullable ResponseItem find(String itemName, Kind kind) {
        for (ResponseItem item : items) {
            if (item.kind == kind && item.name.equals(itemName)) {
                return item;
            }
        }
        return null;
    }

    /** The item of this name, or the latest one when there is no name, or null. */
    @Nullable ResponseItem findOrLatest(String itemName, Kind kind) {
        ResponseItem item = find(itemName, kind);
        return item == null && itemName.isEmpty() ? latestOf(kind) : item;
    }

    /** Like {@link #findOrLatest}, begun if need be; null when there are too many. */
    @Nullable ResponseItem open(String itemName, Kind kind) {
        ResponseItem item = findOrLatest(itemName, kind);
        return item != null ? item : begin(itemName, kind, "", "");
    }

    /** The item that audio of this name belongs to. */
    void takeAudio(String itemName) {
        ResponseItem item = find(itemName, Kind.AUDIO);
        ResponseItem unnamed = latestOf(Kind.AUDIO);
        if (item == null && unnamed != null && unnamed.name.isEmpty() && !unnamed.hasAudio) {
            // What it says came first.
            unnamed.name = itemName;
            item = unnamed;
        }
        if (item == null) {
            item = begin(itemName, Kind.AUDIO, "", "");
        }
        if (item != null) {
            item.hasAudio = true;
            item.heardOut = false;
            hasAudio = true;
            audioWaits = true;
            deadlineNanos = EventSurface.NEVER;
        }
    }

    @Nullable ResponseItem latestOf(Kind kind) {
        for (ResponseItem item : items.reversed()) {
            if (item.kind == kind) {
                return item;
            }
        }
        return null;
    }

    private @Nullable ResponseItem begin(
            String itemName, Kind kind, String callId, String function) {
        if (items.size() == MAX_ITEMS) {
            return null;
        }
        ResponseItem item =
                new ResponseItem(
                        conversation.idFor(itemName, events),
                        itemName,
                        kind,
                        items.size(),
                        callId,
                        function);
        items.add(item);
        tellItem("response.output_item.added", item);
        if (inConversation()) {
            conversation.add(item.id, item.json());
            tellConversation("conversation.item.added", item);
        }
        if (kind != Kind.FUNCTION_CALL) {
            tellPart("response.content_part.added", item);
        }
        return item;
    }

    /** What an item says goes on, or is now this. */
    void say(ResponseItem item, String text, boolean goesOn) {
        if (item.text.length() + text.length() > Json.MAX_CHARS) {
            return;
        }
        String before = item.text.toString();
        String now = goesOn ? before + text : text;
        item.text.setLength(0);
        item.text.append(now);
        if (item.done) {
            conversation.replace(item.id, item.json());
        } else if (now.startsWith(before) && now.length() > item.toldChars) {
            String type =
                    switch (item.kind) {
                        case AUDIO -> "response.output_audio_transcript.delta";
                        case TEXT -> "response.output_text.delta";
                        case FUNCTION_CALL -> "response.function_call_arguments.delta";
                    };
            ObjectNode event = of(type, item).put("delta", now.substring(item.toldChars));
            item.toldChars = now.length();
            events.sendAll(event);
        }
    }

    /**
     * A function call goes on, or is complete.
     *
     * @param delta the next piece, or null
     * @param whole all arguments, or null
     */
    void call(
            String itemName,
            String callId,
            String function,
            @Nullable String delta,
            @Nullable String whole) {
        ResponseItem item = findCall(callId);
        if (item == null) {
            item = begin(itemName, Kind.FUNCTION_CALL, callId, function);
        }
        if (item == null || item.done) {
            return;
        }
        if (delta != null) {
            say(item, delta, true);
        }
        if (whole != null) {
            say(item, whole, false);
            item.done(true);
            events.sendAll(
                    of("response.function_call_arguments.done", item)
                            .put("name", item.function)
                            .put("arguments", item.text.toString()));
            tellItemDone(item);
        }
    }

    private @Nullable ResponseItem findCall(String callId) {
        for (ResponseItem item : items) {
            if (item.kind == Kind.FUNCTION_CALL && item.callId.equals(callId)) {
                return item;
            }
        }
        return null;
    }

    // --- the end

    void finish(End end) {
        done = true;
        pending = false;
        deadlineNanos = EventSurface.NEVER;
        dropped |= end.status() == Status.CANCELLED;
        for (ResponseItem item : items) {
            if (!item.done) {
                item.done(end.status() == Status.COMPLETED);
                tellContentDone(item);
                tellItemDone(item);
            }
        }
        ObjectNode event = events.event("response.done");
        event.set("response", ResponseJson.done(id, end, items, options, session.json()));
        events.sendAll(event);
        if (!audioWaits) {
            heardOut();
        }
    }

    private void tellContentDone(ResponseItem item) {
        switch (item.kind) {
            case AUDIO -> {
                events.sendAll(of("response.output_audio.done", item));
                events.sendAll(
                        of("response.output_audio_transcript.done", item)
                                .put("transcript", item.text.toString()));
                tellPart("response.content_part.done", item);
            }
            case TEXT -> {
                events.sendAll(
                        of("response.output_text.done", item).put("text", item.text.toString()));
                tellPart("response.content_part.done", item);
            }
            case FUNCTION_CALL -> {}
        }
    }

    private void tellItemDone(ResponseItem item) {
        if (inConversation()) {
            conversation.replace(item.id, item.json());
            tellConversation("conversation.item.done", item);
        }
        tellItem("response.output_item.done", item);
    }

    /** What the caller did not hear of an item is no part of the conversation. */
    void truncate(ResponseItem item, long heardMillis) {
        item.cut = true;
        item.heardMillis = heardMillis;
        conversation.replace(item.id, item.json());
        events.sendAll(
                events.event("conversation.item.truncated")
                        .put("item_id", item.id)
                        .put("content_index", 0)
                        .put("audio_end_ms", heardMillis));
    }

    /** The caller hears it from now on. */
    void beginsToBeHeard() {
        if (!heard) {
            heard = true;
            tellBuffer("started");
        }
    }

    /** Nothing is left of it to be heard. */
    void heardOut() {
        if (heard) {
            heard = false;
            tellBuffer("stopped");
        }
    }

    /** Tells whether the caller is hearing it. */
    void tellBuffer(String what) {
        events.sendAll(events.event("output_audio_buffer." + what).put("response_id", id));
    }

    // --- events of items

    private ObjectNode of(String type, ResponseItem item) {
        ObjectNode event =
                events.event(type)
                        .put("response_id", id)
                        .put("item_id", item.id)
                        .put("output_index", item.index);
        return item.kind == Kind.FUNCTION_CALL
                ? event.put("call_id", item.callId)
                : event.put("content_index", 0);
    }

    private void tellPart(String type, ResponseItem item) {
        ObjectNode event = of(type, item);
        event.set("part", item.part());
        events.sendAll(event);
    }

    private void tellItem(String type, ResponseItem item) {
        ObjectNode event =
                events.event(type).put("response_id", id).put("output_index", item.index);
        event.set("item", item.json());
        events.sendAll(event);
    }

    private void tellConversation(String type, ResponseItem item) {
        ObjectNode event =
                events.event(type).put("previous_item_id", conversation.previous(item.id));
        event.set("item", item.json());
        events.sendAll(event);
    }
}
