package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.CancelReason;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.FunctionCall;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agent's side of a conversation: its responses, from the first sign of one until the caller
 * has heard it out or cut it off. A response that inference does not end is over when nothing more
 * comes of it. Owned by the call's surface.
 */
final class Responses {
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
    private final ResponseBook book;
    private final Playback playback;

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
        this.book = new ResponseBook();
        this.playback = new Playback(book, edge);
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
        Response known = book.find(nameOf(said));
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
        Response active = said.getResponseId().isEmpty() ? book.findActive() : null;
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
        Response known = book.find(message.getResponseId());
        Response response =
                known != null && known.done ? null : open(message.getResponseId(), nowNanos);
        if (response != null) {
            response.finish(end(message));
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
        Response response = book.find(name);
        boolean dropped = response != null && response.dropped && !name.isEmpty();
        if (dropped || (response != null && !response.clearing.isEmpty())) {
            return null;
        }
        if (response == null || response.done) {
            response = begin(name);
        }
        response.pending = false;
        if (!response.clearing.isEmpty()) {
            return null;
        }
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

    private Response begin(String name) {
        Response asked = book.findPending();
        if (asked != null) {
            adopt(asked, name);
            return asked;
        }
        endOthers();
        Response response = make(events.idFor("resp", name), name, null);
        Response before = book.put(response);
        response.tellCreated();
        takeOver(before, response);
        return response;
    }

    /** A response that a client has asked for is the next one, whatever its name. */
    private void adopt(Response asked, String name) {
        takeOver(book.rename(asked, name), asked);
        if (!asked.clearing.isEmpty()) {
            // Inference did not know yet that it is not wanted any more.
            edge.clear(name);
            tellCancelled(
                    asked,
                    asked.clearing.equals(TURN_DETECTED)
                            ? CancelReason.CANCEL_REASON_TURN_DETECTED
                            : CancelReason.CANCEL_REASON_CLIENT);
        }
    }

    /** Inference has given a name again: what is heard under it is now this one's. */
    private static void takeOver(@Nullable Response before, Response response) {
        if (before != null && before.audioWaits) {
            boolean heard = before.heard;
            before.heardOut();
            response.audioWaits = true;
            if (heard) {
                response.beginsToBeHeard();
            }
        }
    }

    private void endOthers() {
        for (Response other : book.all()) {
            if (!other.done) {
                other.finish(endOf(other));
            }
        }
    }

    /** How a response is over that inference has not ended. */
    private static End endOf(Response response) {
        if (!response.clearing.isEmpty()) {
            return End.cancelled(response.clearing);
        }
        return response.pending ? late() : End.COMPLETED;
    }

    private Response make(String id, String name, @Nullable ObjectNode options) {
        return new Response(session, conversation, events, id, name, options);
    }

    // --- what the edge reports of what is heard

    void playbackStarted(String name, String itemName) {
        playback.started(name, itemName);
    }

    void playbackProgress(String name, String itemName, long heardMillis) {
        playback.progress(name, itemName, heardMillis);
    }

    void playbackStopped(String name, String itemName, long heardMillis, long nowNanos) {
        Response unfinished = playback.stopped(name, itemName, heardMillis);
        if (unfinished != null && !ended(unfinished)) {
            unfinished.deadlineNanos = nowNanos + AUDIO_OVER_NANOS;
        }
    }

    /** A ClearAudio was carried out, whoever asked for it. */
    void playbackCleared(PlaybackCleared cleared, boolean callerSpeaks, long nowNanos) {
        playback.cleared(cleared, callerSpeaks ? TURN_DETECTED : CLIENT_CANCELLED);
        askNext(nowNanos);
    }

    // --- what is asked for

    /** The caller has begun to speak and may interrupt. */
    void interrupt() {
        stop(TURN_DETECTED, CancelReason.CANCEL_REASON_TURN_DETECTED);
    }

    /** {@code output_audio_buffer.clear}; false when nothing of a response is heard. */
    boolean clear() {
        stop(CLIENT_CANCELLED, CancelReason.CANCEL_REASON_CLIENT);
        return book.all().stream().anyMatch(each -> each.heard);
    }

    /** The response that was begun last; empty when there was none. */
    String lastId() {
        List<Response> all = book.all();
        return all.isEmpty() ? "" : all.getLast().id;
    }

    /** Whether nothing is being made, heard or waited for. */
    boolean quiet() {
        return asked == null && book.quiet();
    }

    private void stop(String why, CancelReason reason) {
        for (Response response : book.all()) {
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
        Response active = book.findActive();
        if (active != null && !ended(active) && active.heard && active.dry) {
            // Nobody but us waits for more of it.
            active.finish(End.COMPLETED);
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
        if (next == null || book.findActive() != null) {
            return;
        }
        asked = null;
        ObjectNode options = next.options();
        String name = events.newId("resp");
        Response response = make(name, name, options);
        var _ = book.put(response);
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
        Response response = book.findActive();
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
        response.finish(End.cancelled(CLIENT_CANCELLED));
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
        playback.truncate(itemId, audioEndMillis);
    }

    // --- time

    long deadlineNanos() {
        long deadline = EventSurface.NEVER;
        for (Response response : book.all()) {
            deadline = Deadlines.earlier(deadline, response.deadlineNanos);
        }
        return deadline;
    }

    void onTimer(long nowNanos) {
        for (Response response : book.all()) {
            if (Deadlines.isOver(response.deadlineNanos, nowNanos)) {
                response.finish(endOf(response));
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
