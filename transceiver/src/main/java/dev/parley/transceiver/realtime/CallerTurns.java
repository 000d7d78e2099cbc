package dev.parley.transceiver.realtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputCleared;
import dev.parley.proto.inference.v1.InputCommitted;
import dev.parley.proto.inference.v1.SpeechStarted;
import dev.parley.proto.inference.v1.SpeechStopped;
import dev.parley.proto.inference.v1.Transcript;
import dev.parley.transceiver.inference.EventSurface.Edge;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The caller's side of a conversation: speech that starts and stops, turns that are committed, and
 * what of them was understood. Owned by the call's surface.
 */
final class CallerTurns {
    /** Less than that is no turn. */
    private static final long LEAST_TURN_MILLIS = 100;

    /** Turns whose transcript may still come. */
    private static final int MAX_TURNS = 64;

    private static final double MILLIS_PER_SECOND = 1_000;

    /** A turn and what was understood of it so far. */
    private static final class Turn {
        final String itemId;
        final StringBuilder text = new StringBuilder();
        double seconds;
        int toldChars;
        boolean committed;
        boolean complete;

        Turn(String itemId) {
            this.itemId = itemId;
        }
    }

    private final RealtimeSession session;
    private final Conversation conversation;
    private final EventWriter events;
    private final Edge edge;
    private final Map<String, Turn> turns = new LinkedHashMap<>();
    private @Nullable Turn speaking;
    private @Nullable Turn latest;
    private long bufferStartMillis;

    CallerTurns(RealtimeSession session, Conversation conversation, EventWriter events, Edge edge) {
        this.session = session;
        this.conversation = conversation;
        this.events = events;
        this.edge = edge;
    }

    /** Whether the caller speaks, as far as the edge listens. */
    boolean speaking() {
        return speaking != null;
    }

    // --- the edge's detector

    void started(SpeechStarted speech) {
        Turn turn = turn(conversation.idFor("", events));
        speaking = turn;
        bufferStartMillis = Math.max(bufferStartMillis, speech.getAudioOffsetMs());
        events.sendAll(
                events.event("input_audio_buffer.speech_started")
                        .put("audio_start_ms", speech.getAudioOffsetMs())
                        .put("item_id", turn.itemId));
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setSpeechStarted(
                                speech.toBuilder()
                                        .setItemId(turn.itemId)
                                        .setKeepSpeaking(
                                                !session.turnDetection().interruptResponse()))
                        .build());
    }

    void stopped(SpeechStopped speech) {
        Turn turn = speaking;
        speaking = null;
        if (turn == null) {
            return;
        }
        events.sendAll(
                events.event("input_audio_buffer.speech_stopped")
                        .put("audio_end_ms", speech.getAudioOffsetMs())
                        .put("item_id", turn.itemId));
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setSpeechStopped(speech.toBuilder().setItemId(turn.itemId))
                        .build());
        if (!turn.committed) {
            commit(
                    turn,
                    speech.getAudioOffsetMs(),
                    !session.turnDetection().createResponse(),
                    false);
        }
    }

    /** Whether this is what the caller says now, which is going to be an item. */
    boolean says(String itemId) {
        return speaking != null && speaking.itemId.equals(itemId) && !speaking.committed;
    }

    /**
     * The caller has said nothing since the agent spoke, and is to be spoken to.
     *
     * @param startMillis where the silence begins on the clock of the caller's audio
     */
    void timedOut(long startMillis) {
        Turn turn = turn(conversation.idFor("", events));
        long end = Math.max(startMillis, edge.inputMillis());
        events.sendAll(
                events.event("input_audio_buffer.timeout_triggered")
                        .put("audio_start_ms", startMillis)
                        .put("audio_end_ms", end)
                        .put("item_id", turn.itemId));
        bufferStartMillis = Math.max(bufferStartMillis, startMillis);
        commit(turn, end, !session.turnDetection().createResponse(), true);
    }

    /** Speech is not listened for any more: what goes on does not stop. */
    void detectionChanged() {
        if (session.turnDetection().speech() == null) {
            speaking = null;
        }
    }

    // --- the client

    /** {@code input_audio_buffer.commit} */
    void commit() throws EventRefusal {
        long end = edge.inputMillis();
        if (end - bufferStartMillis < LEAST_TURN_MILLIS) {
            throw new EventRefusal(
                    ErrorCode.INPUT_AUDIO_BUFFER_COMMIT_EMPTY,
                    "The buffer holds "
                            + Math.max(0, end - bufferStartMillis)
                            + " ms of audio; a turn needs "
                            + LEAST_TURN_MILLIS
                            + " ms.",
                    null);
        }
        Turn turn = speaking;
        if (turn == null || turn.committed) {
            turn = turn(conversation.idFor("", events));
        }
        commit(turn, end, true, false);
    }

    /** {@code input_audio_buffer.clear} */
    void clear() {
        bufferStartMillis = edge.inputMillis();
        events.sendAll(events.event("input_audio_buffer.cleared"));
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setInputCleared(InputCleared.getDefaultInstance())
                        .build());
    }

    private void commit(Turn turn, long endMillis, boolean awaitRequest, boolean timedOut) {
        long start = Math.min(bufferStartMillis, endMillis);
        bufferStartMillis = Math.max(bufferStartMillis, endMillis);
        turn.committed = true;
        turn.seconds = (endMillis - start) / MILLIS_PER_SECOND;
        latest = turn;
        String previous = conversation.last();
        events.sendAll(
                events.event("input_audio_buffer.committed")
                        .put("previous_item_id", previous)
                        .put("item_id", turn.itemId));
        addItem(turn);
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setInputCommitted(
                                InputCommitted.newBuilder()
                                        .setItemId(turn.itemId)
                                        .setAudioStartMs(start)
                                        .setAudioEndMs(endMillis)
                                        .setAwaitRequest(awaitRequest)
                                        .setTimedOut(timedOut))
                        .build());
        tell(turn);
    }

    private void addItem(Turn turn) {
        ObjectNode item = item(turn);
        conversation.add(turn.itemId, item);
        String previous = conversation.previous(turn.itemId);
        for (String what : new String[] {"added", "done"}) {
            ObjectNode event = events.event("conversation.item." + what);
            event.put("previous_item_id", previous).set("item", item);
            events.sendAll(event);
        }
    }

    private static ObjectNode item(Turn turn) {
        ObjectNode item =
                Json.object()
                        .put("id", turn.itemId)
                        .put("object", "realtime.item")
                        .put("type", "message")
                        .put("status", "completed")
                        .put("role", "user");
        item.putArray("content")
                .addObject()
                .put("type", "input_audio")
                .put("transcript", turn.complete ? turn.text.toString() : null);
        return item;
    }

    // --- what was understood

    /** Inference tells what it has heard. */
    void transcript(Transcript said) {
        Turn turn = turnOf(said.getItemId());
        if (turn.complete || turn.text.length() + said.getText().length() > Json.MAX_CHARS) {
            return;
        }
        if (!said.getDelta()) {
            boolean grows = said.getText().startsWith(turn.text.toString());
            turn.toldChars = grows ? turn.toldChars : Math.min(turn.toldChars, 0);
            turn.text.setLength(0);
        }
        turn.text.append(said.getText());
        turn.complete = said.getFinal();
        if (turn.committed) {
            tell(turn);
        }
    }

    private Turn turnOf(String itemId) {
        Turn named = turns.get(itemId);
        if (named != null) {
            return named;
        }
        if (speaking != null) {
            return speaking;
        }
        if (latest != null && !latest.complete) {
            return latest;
        }
        // Inference hears turns where nobody told it of one.
        Turn own = turn(conversation.idFor("", events));
        own.committed = true;
        latest = own;
        addItem(own);
        return own;
    }

    private void tell(Turn turn) {
        String text = turn.text.toString();
        boolean wanted = session.transcribes();
        if (wanted && text.length() > turn.toldChars) {
            events.sendAll(
                    transcription("delta", turn).put("delta", text.substring(turn.toldChars)));
            turn.toldChars = text.length();
        }
        if (turn.complete) {
            conversation.replace(turn.itemId, item(turn));
            if (wanted) {
                ObjectNode event = transcription("completed", turn).put("transcript", text);
                event.putObject("usage").put("type", "duration").put("seconds", turn.seconds);
                events.sendAll(event);
            }
        }
    }

    private ObjectNode transcription(String what, Turn turn) {
        return events.event("conversation.item.input_audio_transcription." + what)
                .put("item_id", turn.itemId)
                .put("content_index", 0);
    }

    private Turn turn(String itemId) {
        Turn turn = new Turn(itemId);
        turns.put(itemId, turn);
        if (turns.size() > MAX_TURNS) {
            var _ = turns.remove(turns.keySet().iterator().next());
        }
        return turn;
    }
}
