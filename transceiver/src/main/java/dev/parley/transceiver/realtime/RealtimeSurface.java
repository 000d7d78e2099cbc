package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.PlaybackProgress;
import dev.parley.proto.inference.v1.PlaybackStarted;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.proto.inference.v1.RateLimit;
import dev.parley.proto.inference.v1.RateLimits;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.SessionUpdate;
import dev.parley.proto.inference.v1.Speaker;
import dev.parley.proto.inference.v1.Transcript;
import dev.parley.transceiver.inference.EventClient;
import dev.parley.transceiver.inference.EventSurface;
import dev.parley.transceiver.inference.Formats;
import dev.parley.transceiver.speech.SpeechSettings;
import org.jspecify.annotations.Nullable;

/**
 * One call's Realtime events: tells what each thing that happens means to clients, and what each
 * event of a client means to inference and the edge. Nothing that a client sends can end the call:
 * what is wrong is answered with an {@code error}. Owned by the call's event thread.
 */
public final class RealtimeSurface implements EventSurface {
    /** Characters of the session id that stand in the call's other ids. */
    private static final int ID_CHARS = 12;

    /** Longest name of a response, an item or a call: that of OutputAudio. */
    private static final int MAX_NAME_CHARS = 1_024;

    private static final int MAX_AUDIO_MILLIS = Integer.MAX_VALUE;

    private final Edge edge;
    private final RealtimeCounters counters;
    private final EventWriter events;
    private final RealtimeSession session;
    private final Conversation conversation = new Conversation();
    private final CallerTurns caller;
    private final ClientItems items;
    private final Responses responses;
    private final CallerSilence silence = new CallerSilence();
    private @Nullable EventRefusal badStart;

    /** Makes surfaces that count their events here. */
    public static Factory factory(RealtimeCounters counters) {
        return (start, ready, edge, _) -> new RealtimeSurface(start, ready, edge, counters);
    }

    RealtimeSurface(SessionStart start, SessionReady ready, Edge edge, RealtimeCounters counters) {
        this.edge = edge;
        this.counters = counters;
        String id = start.getSessionId();
        String base = id.substring(0, Math.min(ID_CHARS, id.length()));
        this.events = new EventWriter(edge, counters, base);
        SpeechSettings asked = Formats.speech(ready);
        this.session =
                new RealtimeSession(
                        "sess_" + base,
                        start.getModel(),
                        asked == null ? SpeechSettings.DEFAULT : asked);
        this.caller = new CallerTurns(session, conversation, events, edge);
        this.items = new ClientItems(conversation, caller, events, edge);
        this.responses = new Responses(session, conversation, events, edge);
        try {
            if (!start.getSessionJson().isBlank()) {
                session.update(Json.read(start.getSessionJson()), "session");
            }
        } catch (EventRefusal refusal) {
            badStart = refusal;
        }
        edge.detectSpeech(session.turnDetection().speech());
    }

    // --- clients

    @Override
    public void attached(EventClient client) {
        ObjectNode event = events.event("session.created");
        event.set("session", session.json());
        events.send(client, event);
        if (badStart != null) {
            events.error(client, badStart, null);
        }
    }

    @Override
    public void said(EventClient client, String text, long nowNanos) {
        String eventId = null;
        try {
            ObjectNode event = Json.read(text);
            Fields fields = new Fields(event, "");
            eventId = fields.findId("event_id");
            handle(client, fields, nowNanos);
        } catch (EventRefusal refusal) {
            events.error(client, refusal, eventId);
        }
        listen(nowNanos);
    }

    private void handle(EventClient client, Fields event, long nowNanos) throws EventRefusal {
        String name = event.string("type");
        ClientEventType type = ClientEventType.find(name);
        if (type == null) {
            throw new EventRefusal(
                    ErrorCode.UNKNOWN_EVENT, "There is no client event of this type.", "type");
        }
        counters.taken(type);
        switch (type) {
            case SESSION_UPDATE -> update(event);
            case INPUT_AUDIO_BUFFER_APPEND ->
                    throw new EventRefusal(
                            ErrorCode.UNSUPPORTED,
                            "Audio comes on the call's audio track, not in events.",
                            "type");
            case INPUT_AUDIO_BUFFER_COMMIT -> caller.commit();
            case INPUT_AUDIO_BUFFER_CLEAR -> caller.clear();
            case OUTPUT_AUDIO_BUFFER_CLEAR -> clearOutput(client);
            case CONVERSATION_ITEM_CREATE -> items.create(event);
            case CONVERSATION_ITEM_RETRIEVE -> items.retrieve(client, event);
            case CONVERSATION_ITEM_DELETE -> items.delete(event);
            case CONVERSATION_ITEM_TRUNCATE -> truncateItem(event);
            case RESPONSE_CREATE -> createResponse(event, nowNanos);
            case RESPONSE_CANCEL -> responses.cancel(event.findId("response_id"), nowNanos);
        }
    }

    private void clearOutput(EventClient client) {
        if (!responses.clear()) {
            // Whoever waits for the end of what is heard need not.
            events.send(
                    client,
                    events.event("output_audio_buffer.cleared")
                            .put("response_id", responses.lastId()));
        }
    }

    private void createResponse(Fields event, long nowNanos) throws EventRefusal {
        ObjectNode options = event.findObject("response");
        if (options != null) {
            Settings.checkResponse(new Fields(options, "response"));
        }
        responses.create(options, nowNanos);
    }

    private void update(Fields event) throws EventRefusal {
        session.update(event.object("session"), "session");
        edge.detectSpeech(session.turnDetection().speech());
        caller.detectionChanged();
        ObjectNode updated = events.event("session.updated");
        updated.set("session", session.json());
        events.sendAll(updated);
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setSessionUpdate(
                                SessionUpdate.newBuilder()
                                        .setSessionJson(session.json().toString()))
                        .build());
    }

    private void truncateItem(Fields event) throws EventRefusal {
        String id = event.id("item_id");
        int contentIndex = event.whole("content_index", Integer.MAX_VALUE, 0);
        if (contentIndex != 0) {
            throw event.badValue("content_index", "0");
        }
        responses.truncate(id, event.requiredWhole("audio_end_ms", MAX_AUDIO_MILLIS));
    }

    // --- inference

    @Override
    public void fromInference(ConverseResponse message, long nowNanos) {
        if (longestName(message) > MAX_NAME_CHARS) {
            counters.error(ErrorCode.NAME_TOO_LONG);
            return;
        }
        switch (message.getMessageCase()) {
            case OUTPUT_AUDIO -> responses.audio(message.getOutputAudio(), nowNanos);
            case TRANSCRIPT -> transcript(message.getTranscript(), nowNanos);
            case RESPONSE_STARTED ->
                    responses.started(message.getResponseStarted().getResponseId(), nowNanos);
            case RESPONSE_DONE -> responses.done(message.getResponseDone(), nowNanos);
            case FUNCTION_CALL -> responses.call(message.getFunctionCall(), nowNanos);
            case OUTPUT_TEXT -> responses.text(message.getOutputText(), nowNanos);
            case RATE_LIMITS -> rateLimits(message.getRateLimits());
            case ERROR ->
                    events.serverError(
                            message.getError().getCode(), message.getError().getMessage());
            case SERVER_EVENT, CLOSE_CHANNEL -> edge.pass(message);
            case SESSION_READY,
                    CLEAR_AUDIO,
                    MARK,
                    SESSION_END,
                    PAUSE_AUDIO,
                    RESUME_AUDIO,
                    RESUME_POINT,
                    HANDOVER,
                    MESSAGE_NOT_SET -> {}
        }
        listen(nowNanos);
    }

    /** Names are kept as long as the call lasts, so their length is bounded. */
    private static int longestName(ConverseResponse message) {
        return switch (message.getMessageCase()) {
            case TRANSCRIPT ->
                    longest(
                            message.getTranscript().getResponseId(),
                            message.getTranscript().getItemId());
            case RESPONSE_STARTED -> message.getResponseStarted().getResponseId().length();
            case RESPONSE_DONE -> message.getResponseDone().getResponseId().length();
            case FUNCTION_CALL ->
                    Math.max(
                            longest(
                                    message.getFunctionCall().getResponseId(),
                                    message.getFunctionCall().getItemId()),
                            longest(
                                    message.getFunctionCall().getCallId(),
                                    message.getFunctionCall().getName()));
            case OUTPUT_TEXT ->
                    longest(
                            message.getOutputText().getResponseId(),
                            message.getOutputText().getItemId());
            default -> 0;
        };
    }

    private static int longest(String one, String other) {
        return Math.max(one.length(), other.length());
    }

    private void transcript(Transcript said, long nowNanos) {
        if (said.getSpeaker() == Speaker.SPEAKER_USER) {
            caller.transcript(said);
        } else {
            responses.transcript(said, nowNanos);
        }
    }

    private void rateLimits(RateLimits limits) {
        ObjectNode event = events.event("rate_limits.updated");
        ArrayNode list = event.putArray("rate_limits");
        for (RateLimit limit : limits.getLimitsList()) {
            list.addObject()
                    .put("name", limit.getName())
                    .put("limit", limit.getLimit())
                    .put("remaining", limit.getRemaining())
                    .put("reset_seconds", limit.getResetSeconds());
        }
        events.sendAll(event);
    }

    // --- the edge

    @Override
    public void fromEdge(ConverseRequest message, long nowNanos) {
        switch (message.getMessageCase()) {
            case SPEECH_STARTED -> {
                caller.started(message.getSpeechStarted());
                if (session.turnDetection().interruptResponse()) {
                    responses.interrupt();
                }
            }
            case SPEECH_STOPPED -> caller.stopped(message.getSpeechStopped());
            case PLAYBACK_STARTED -> {
                edge.toInference(message);
                PlaybackStarted started = message.getPlaybackStarted();
                responses.playbackStarted(started.getResponseId(), started.getItemId());
            }
            case PLAYBACK_PROGRESS -> {
                edge.toInference(message);
                PlaybackProgress made = message.getPlaybackProgress();
                responses.playbackProgress(
                        made.getResponseId(), made.getItemId(), made.getAudioEndMs());
            }
            case PLAYBACK_STOPPED -> {
                edge.toInference(message);
                PlaybackStopped stopped = message.getPlaybackStopped();
                responses.playbackStopped(
                        stopped.getResponseId(),
                        stopped.getItemId(),
                        stopped.getAudioEndMs(),
                        nowNanos);
            }
            case PLAYBACK_CLEARED -> {
                edge.toInference(message);
                responses.playbackCleared(
                        message.getPlaybackCleared(), caller.speaking(), nowNanos);
            }
            default -> edge.toInference(message);
        }
        listen(nowNanos);
    }

    // --- time

    @Override
    public long deadlineNanos() {
        return Deadlines.earlier(
                responses.deadlineNanos(),
                silence.deadlineNanos(session.turnDetection().idleTimeoutMillis()));
    }

    @Override
    public void onTimer(long nowNanos) {
        responses.onTimer(nowNanos);
        long silentSince = silence.startMillis();
        if (silence.end(session.turnDetection().idleTimeoutMillis(), nowNanos)) {
            caller.timedOut(silentSince);
        }
        listen(nowNanos);
    }

    private void listen(long nowNanos) {
        silence.observe(caller.speaking(), responses.quiet(), edge.inputMillis(), nowNanos);
    }
}
