package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.CancelReason;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.FunctionCall;
import dev.parley.proto.inference.v1.ItemTruncated;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.OutputText;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.proto.inference.v1.ResponseCancelled;
import dev.parley.proto.inference.v1.ResponseDone;
import dev.parley.proto.inference.v1.ResponseRequested;
import dev.parley.proto.inference.v1.Transcript;
import dev.parley.transceiver.inference.EventSurface;
import dev.parley.transceiver.inference.EventSurface.Edge;
import dev.parley.transceiver.realtime.Response.End;
import dev.parley.transceiver.realtime.Response.Status;
import dev.parley.transceiver.realtime.ResponseItem.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The agent's side of a conversation: its responses, from the first sign of one until the caller
 * has heard it out or cut it off. A response that inference does not end is over when nothing more
 * comes of it. Owned by the call's surface.
 */
final class Responses {
    /** Responses of which something may still come. */
    private static final int MAX_RESPONSES = 64;

    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** So long after its audio was heard out a response is over that nobody ends. */
    private static final long AUDIO_OVER_NANOS = 500 * NANOS_PER_MILLI;

    /** The same of one that has no audio: a voice may take its time. */
    private static final long TEXT_OVER_NANOS = 5_000 * NANOS_PER_MILLI;

    /** So long a response may take to begin that a client has asked for. */
    private static final long BEGIN_NANOS = 60_000 * NANOS_PER_MILLI;

    private static final String TURN_DETECTED = "turn_detected";
    private static final String CLIENT_CANCELLED = "client_cancelled";

    private final RealtimeSession session;
    private final Conversation conversation;
    private final EventWriter events;
    private final Edge edge;
    private final Map<String, Response> byName = new LinkedHashMap<>();

    /** What a client has asked for behind a response of which nobody knows yet that it is over. */
    private @Nullable Asked asked;

    /** Inference has ended a response, so it ends all of them. */
    private boolean endsThem;

    private record Asked(@Nullable ObjectNode options) {}

    Responses(RealtimeSession session, Conversation conversation, EventWriter events, Edge edge) {
        this.session = session;
        this.conversation = conversation;
        this.events = events;
        this.edge = edge;
    }

    // --- what comes from inference

    void started(String name, long nowNanos) {
        Response response = open(name, nowNanos);
        if (response != null) {
            response.explicit = true;
            response.deadlineNanos = EventSurface.NEVER;
        }
    }

    void audio(OutputAudio audio, long nowNanos) {
        Response response = open(audio.getResponseId(), nowNanos);
        if (response != null) {
            response.takeAudio(audio.getItemId());
        }
    }

    void transcript(Transcript said, long nowNanos) {
        Response known = byName.get(nameOf(said));
        // What was said may be written down after it was said.
        boolean late = known != null && known.done && !known.dropped;
        Response response = late ? known : open(nameOf(said), nowNanos);
        if (response == null) {
            return;
        }
        ResponseItem item =
                late
                        ? response.findOrLatest(said.getItemId(), Kind.AUDIO)
                        : response.open(said.getItemId(), Kind.AUDIO);
        if (item != null && !item.cut) {
            response.say(item, said.getText(), said.getDelta());
        }
    }

    /** A transcript without a response belongs to the one that is being made. */
    private String nameOf(Transcript said) {
        Response active = said.getResponseId().isEmpty() ? findActive() : null;
        return active == null ? said.getResponseId() : active.name;
    }

    void text(OutputText text, long nowNanos) {
        Response response = open(text.getResponseId(), nowNanos);
        ResponseItem item = response == null ? null : response.open(text.getItemId(), Kind.TEXT);
        if (response != null && item != null) {
            response.say(item, text.getText(), true);
        }
    }

    void call(FunctionCall call, long nowNanos) {
        Response response = open(call.getResponseId(), nowNanos);
        if (response == null) {
            return;
        }
        response.call(
                call.getItemId(),
                call.getCallId(),
                call.getName(),
                call.hasArgumentsDelta() ? call.getArgumentsDelta() : null,
                call.hasArguments() ? call.getArguments() : null);
        if (call.hasArguments() && !ended(response) && !response.audioWaits) {
            response.deadlineNanos = nowNanos + AUDIO_OVER_NANOS;
        }
    }

    void done(ResponseDone message, long nowNanos) {
        endsThem = true;
        Response known = byName.get(message.getResponseId());
        Response response =
                known != null && known.done ? null : open(message.getResponseId(), nowNanos);
        if (response != null) {
            finish(response, end(message));
        }
        askNext(nowNanos);
    }

    private static End end(ResponseDone message) {
        Status status =
                switch (message.getStatus()) {
                    case RESPONSE_STATUS_CANCELLED -> Status.CANCELLED;
                    case RESPONSE_STATUS_FAILED -> Status.FAILED;
                    case RESPONSE_STATUS_INCOMPLETE -> Status.INCOMPLETE;
                    case RESPONSE_STATUS_COMPLETED, RESPONSE_STATUS_UNSPECIFIED, UNRECOGNIZED ->
                            Status.COMPLETED;
                };
        return new End(
                status,
                message.getReason(),
                message.getMessage(),
                message.hasUsage() ? message.getUsage() : null);
    }

    /** The response of this name, begun if need be; null when nothing more of it is wanted. */
    private @Nullable Response open(String name, long nowNanos) {
        Response response = byName.get(name);
        boolean dropped = response != null && response.dropped && !name.isEmpty();
        if (dropped || (response != null && !response.clearing.isEmpty())) {
            return null;
        }
        if (response == null || response.done) {
            response = adopt(name);
        }
        if (response == null) {
            endOthers();
            response = add(name, null);
            response.tellCreated();
        }
        response.pending = false;
        if (!response.hasAudio) {
            response.deadlineNanos =
                    ended(response) ? EventSurface.NEVER : nowNanos + TEXT_OVER_NANOS;
        }
        return response;
    }

    /** Whether inference says when it is over. */
    private boolean ended(Response response) {
        return response.explicit || endsThem;
    }

    /** A response that a client has asked for is the next one, whatever its name. */
    private @Nullable Response adopt(String name) {
        for (Response response : byName.values()) {
            if (response.pending) {
                byName.remove(response.name);
                response.name = name;
                byName.put(name, response);
                return response;
            }
        }
        return null;
    }

    private void endOthers() {
        for (Response other : List.copyOf(byName.values())) {
            if (!other.done) {
                finish(other, End.COMPLETED);
            }
        }
    }

    private Response add(String name, @Nullable ObjectNode options) {
        Response response = new Response(session, conversation, events, idOf(name), name, options);
        byName.remove(name);
        byName.put(name, response);
        if (byName.size() > MAX_RESPONSES) {
            var _ = byName.remove(byName.keySet().iterator().next());
        }
        return response;
    }

    private String idOf(String name) {
        boolean used =
                name.isEmpty()
                        || name.length() > Fields.MAX_ID_CHARS
                        || byName.values().stream().anyMatch(each -> each.id.equals(name));
        return used ? events.newId("resp") : name;
    }

    private void finish(Response response, End end) {
        response.finish(end);
        if (!response.audioWaits) {
            heardOut(response);
        }
    }

    private static void heardOut(Response response) {
        if (response.heard) {
            response.heard = false;
            response.tellBuffer("stopped");
        }
    }

    // --- what the edge reports of what is heard

    void playbackStarted(String name, String itemName) {
        Response response = byName.get(name);
        if (response == null || response.cut) {
            return;
        }
        ResponseItem item = response.find(itemName, Kind.AUDIO);
        if (item != null) {
            item.heardOut = false;
        }
        response.audioWaits = true;
        response.dry = false;
        response.deadlineNanos = EventSurface.NEVER;
        if (!response.heard) {
            response.heard = true;
            response.tellBuffer("started");
        }
    }

    void playbackProgress(String name, String itemName, long heardMillis) {
        Response response = byName.get(name);
        ResponseItem item = response == null ? null : response.find(itemName, Kind.AUDIO);
        if (item != null) {
            item.heardMillis = heardMillis;
        }
    }

    void playbackStopped(String name, String itemName, long heardMillis, long nowNanos) {
        playbackProgress(name, itemName, heardMillis);
        Response response = byName.get(name);
        if (response == null) {
            return;
        }
        ResponseItem item = response.find(itemName, Kind.AUDIO);
        if (item != null) {
            item.heardOut = true;
        }
        response.dry = true;
        response.audioWaits =
                response.items.stream().anyMatch(each -> each.hasAudio && !each.heardOut);
        if (response.audioWaits) {
            return;
        }
        if (response.done) {
            heardOut(response);
        } else if (!ended(response)) {
            response.deadlineNanos = nowNanos + AUDIO_OVER_NANOS;
        }
    }

    /** A ClearAudio was carried out, whoever asked for it. */
    void playbackCleared(PlaybackCleared cleared, boolean callerSpeaks, long nowNanos) {
        String name = cleared.getClearedResponseId();
        for (Response response : List.copyOf(byName.values())) {
            if (name.isEmpty() || name.equals(response.name)) {
                cut(response, cleared, callerSpeaks ? TURN_DETECTED : CLIENT_CANCELLED);
            }
        }
        askNext(nowNanos);
    }

    private void cut(Response response, PlaybackCleared cleared, String reason) {
        boolean unfinished = !response.done;
        if (!unfinished && !response.audioWaits) {
            return;
        }
        if (response.heard) {
            response.heard = false;
            response.tellBuffer("cleared");
        }
        response.audioWaits = false;
        response.dry = true;
        String why = response.clearing.isEmpty() ? reason : response.clearing;
        response.clearing = "";
        if (unfinished) {
            response.finish(End.cancelled(why));
        }
        response.dropped = true;
        response.cut = true;
        ResponseItem last = response.latestOf(Kind.AUDIO);
        for (ResponseItem item : response.items) {
            // One that ran dry before it was complete is cut where it ran dry.
            boolean whole = item.heardOut && !(unfinished && item == last);
            boolean playing =
                    cleared.getResponseId().equals(response.name)
                            && cleared.getItemId().equals(item.name);
            long heardMillis = playing ? cleared.getAudioEndMs() : item.heardMillis;
            // A client may have said that the caller heard more than there was.
            boolean told = item.cut && item.heardMillis <= heardMillis;
            if (item.hasAudio && !whole && !told) {
                truncate(response, item, heardMillis);
            }
        }
    }

    private void truncate(Response response, ResponseItem item, long heardMillis) {
        response.truncate(item, heardMillis);
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setItemTruncated(
                                ItemTruncated.newBuilder()
                                        .setItemId(item.name.isEmpty() ? item.id : item.name)
                                        .setResponseId(response.name)
                                        .setAudioEndMs(heardMillis))
                        .build());
    }

    // --- what is asked for

    /** The caller has begun to speak and may interrupt. */
    void interrupt() {
        stop(TURN_DETECTED, CancelReason.CANCEL_REASON_TURN_DETECTED);
    }

    /** {@code output_audio_buffer.clear} */
    void clear() {
        stop(CLIENT_CANCELLED, CancelReason.CANCEL_REASON_CLIENT);
    }

    private void stop(String why, CancelReason reason) {
        for (Response response : List.copyOf(byName.values())) {
            boolean live = !response.done || response.audioWaits;
            if (live && response.clearing.isEmpty()) {
                response.clearing = why;
                edge.clear(response.name);
                if (!response.done) {
                    tellCancelled(response, reason);
                }
            }
        }
    }

    /**
     * {@code response.create}; waits while the last response may be over or is being cut off.
     *
     * @param options of this response alone, or null
     */
    void create(@Nullable ObjectNode options, long nowNanos) throws EventRefusal {
        Response active = findActive();
        if (active != null && !ended(active) && active.heard && active.dry) {
            // Nobody but us waits for more of it.
            finish(active, End.COMPLETED);
            active = null;
        }
        if (active != null && (asked != null || !endsByItself(active))) {
            throw new EventRefusal(
                    ErrorCode.CONVERSATION_ALREADY_HAS_ACTIVE_RESPONSE,
                    "The conversation already has an active response: " + active.id + ".",
                    null);
        }
        asked = new Asked(options);
        askNext(nowNanos);
    }

    /** Whether it is over soon without the client's or inference's doing anything. */
    private boolean endsByItself(Response response) {
        return !response.clearing.isEmpty() || (!response.pending && !ended(response));
    }

    /** Asks inference for what a client wants, once no other response is being made. */
    private void askNext(long nowNanos) {
        Asked next = asked;
        if (next == null || findActive() != null) {
            return;
        }
        asked = null;
        ObjectNode options = next.options();
        String name = events.newId("resp");
        Response response = add(name, options);
        response.pending = true;
        response.deadlineNanos = nowNanos + BEGIN_NANOS;
        response.tellCreated();
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setResponseRequested(
                                ResponseRequested.newBuilder()
                                        .setResponseId(name)
                                        .setOptionsJson(options == null ? "" : options.toString()))
                        .build());
    }

    /**
     * {@code response.cancel}: nothing more is made; what was made before is still heard.
     *
     * @param id which one, null for the active one
     */
    void cancel(@Nullable String id, long nowNanos) throws EventRefusal {
        Response response = findActive();
        if (response == null || (id != null && !id.equals(response.id))) {
            throw new EventRefusal(
                    ErrorCode.RESPONSE_CANCEL_NOT_ACTIVE,
                    "There is no active response"
                            + (id == null ? "" : " with the id " + id)
                            + " to cancel.",
                    id == null ? null : "response_id");
        }
        edge.refuse(response.name);
        tellCancelled(response, CancelReason.CANCEL_REASON_CLIENT);
        finish(response, End.cancelled(CLIENT_CANCELLED));
        askNext(nowNanos);
    }

    private void tellCancelled(Response response, CancelReason reason) {
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setResponseCancelled(
                                ResponseCancelled.newBuilder()
                                        .setResponseId(response.name)
                                        .setReason(reason))
                        .build());
    }

    /** {@code conversation.item.truncate} */
    void truncate(String itemId, long audioEndMillis) throws EventRefusal {
        for (Response response : byName.values()) {
            for (ResponseItem item : response.items) {
                if (item.id.equals(itemId) && item.kind == Kind.AUDIO) {
                    if (!item.cut && audioEndMillis > item.heardMillis && item.heardOut) {
                        throw new EventRefusal(
                                ErrorCode.INVALID_VALUE,
                                "audio_end_ms is "
                                        + audioEndMillis
                                        + ", the item's audio "
                                        + item.heardMillis
                                        + " ms long.",
                                "audio_end_ms");
                    }
                    // What was cut off once is not heard for that.
                    truncate(
                            response,
                            item,
                            item.cut ? Math.min(audioEndMillis, item.heardMillis) : audioEndMillis);
                    return;
                }
            }
        }
        throw new EventRefusal(
                ErrorCode.ITEM_NOT_FOUND,
                "There is no audio item with the id " + itemId + ".",
                "item_id");
    }

    /** The response that is being made, or null. */
    private @Nullable Response findActive() {
        for (Response response : byName.values()) {
            if (!response.done) {
                return response;
            }
        }
        return null;
    }

    // --- time

    long deadlineNanos() {
        long deadline = EventSurface.NEVER;
        for (Response response : byName.values()) {
            long own = response.deadlineNanos;
            if (own != EventSurface.NEVER
                    && (deadline == EventSurface.NEVER || own - deadline < 0)) {
                deadline = own;
            }
        }
        return deadline;
    }

    void onTimer(long nowNanos) {
        for (Response response : new ArrayList<>(byName.values())) {
            long own = response.deadlineNanos;
            if (own != EventSurface.NEVER && own - nowNanos <= 0) {
                finish(response, response.pending ? late() : End.COMPLETED);
            }
        }
        askNext(nowNanos);
    }

    private static End late() {
        return new End(
                Status.FAILED,
                "response_timeout",
                "The model did not begin to answer within "
                        + BEGIN_NANOS / (1_000 * NANOS_PER_MILLI)
                        + " s.",
                null);
    }
}
