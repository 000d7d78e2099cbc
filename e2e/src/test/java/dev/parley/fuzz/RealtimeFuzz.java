package dev.parley.fuzz;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.FunctionCall;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.OutputText;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.proto.inference.v1.PlaybackStarted;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.proto.inference.v1.ResponseDone;
import dev.parley.proto.inference.v1.ResponseStarted;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.Speaker;
import dev.parley.proto.inference.v1.SpeechStarted;
import dev.parley.proto.inference.v1.SpeechStopped;
import dev.parley.proto.inference.v1.Transcript;
import dev.parley.transceiver.inference.EventClient;
import dev.parley.transceiver.inference.EventSurface;
import dev.parley.transceiver.realtime.RealtimeCounters;
import dev.parley.transceiver.realtime.RealtimeSurface;
import dev.parley.transceiver.speech.SpeechSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Events of a Realtime client among all else that happens in a call, a line each. A line that
 * begins with {@code >} is a message of inference, with {@code <} a report of the edge, with
 * {@code @} time that passes; every other one is what the client says.
 */
public final class RealtimeFuzz implements EventSurface.Edge {
    private static final int MAX_LINES = 200;
    private static final int MAX_TIMERS = 1_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final EventClient CLIENT =
            new EventClient() {
                @Override
                public void event(ServerEvent event) {}

                @Override
                public void ended() {}
            };

    private final EventSurface surface;

    /** What the edge has been asked to clear and has not reported yet. */
    private final Queue<String> clearing = new ArrayDeque<>();

    private final Set<String> created = new HashSet<>();
    private final Set<String> done = new HashSet<>();
    private final Set<String> heard = new HashSet<>();
    private final Set<String> eventIds = new HashSet<>();

    /**
     * Items of responses that have been added, those of them that are not done, all items of the
     * conversation.
     */
    private final Set<String> outputs = new HashSet<>();

    private final Set<String> unfinished = new HashSet<>();
    private final Set<String> items = new HashSet<>();
    private int errors;
    private long now = 1;
    private long millis;

    private RealtimeFuzz() {
        surface =
                RealtimeSurface.factory(new RealtimeCounters())
                        .make(
                                SessionStart.newBuilder().setSessionId("0123456789").build(),
                                SessionReady.getDefaultInstance(),
                                this,
                                now);
        surface.attached(CLIENT);
    }

    public static void fuzzerTestOneInput(byte[] input) {
        RealtimeFuzz call = new RealtimeFuzz();
        String[] lines = new String(input, StandardCharsets.UTF_8).split("\n", MAX_LINES);
        for (String line : lines) {
            call.happen(line);
        }
        call.end();
    }

    private void happen(String line) {
        if (line.isEmpty()) {
            return;
        }
        String what = line.length() < 2 ? "" : line.substring(1, 2);
        String name = line.length() < 2 ? "" : line.substring(2);
        millis += 100;
        switch (line.charAt(0)) {
            case '>' -> surface.fromInference(inference(what, name), now);
            case '<' -> surface.fromEdge(edge(what, name), now);
            case '@' -> pass(what.isEmpty() ? 1 : what.charAt(0) % 64);
            default -> surface.said(CLIENT, line, now);
        }
        while (!clearing.isEmpty()) {
            surface.fromEdge(cleared(clearing.remove(), ""), now);
        }
    }

    private static ConverseResponse inference(String what, String name) {
        var message = ConverseResponse.newBuilder();
        switch (what) {
            case "a" ->
                    message.setOutputAudio(
                            OutputAudio.newBuilder().setResponseId(name).setItemId("i" + name));
            case "b" -> message.setOutputAudio(OutputAudio.newBuilder().setResponseId(name));
            case "s" ->
                    message.setResponseStarted(ResponseStarted.newBuilder().setResponseId(name));
            case "d" -> message.setResponseDone(ResponseDone.newBuilder().setResponseId(name));
            case "t" ->
                    message.setTranscript(
                            Transcript.newBuilder()
                                    .setSpeaker(Speaker.SPEAKER_AGENT)
                                    .setResponseId(name)
                                    .setDelta(true)
                                    .setText("said"));
            case "u" ->
                    message.setTranscript(
                            Transcript.newBuilder()
                                    .setSpeaker(Speaker.SPEAKER_USER)
                                    .setFinal(true)
                                    .setText(name));
            case "x" ->
                    message.setOutputText(
                            OutputText.newBuilder().setResponseId(name).setText("text"));
            default ->
                    message.setFunctionCall(
                            FunctionCall.newBuilder()
                                    .setResponseId(name)
                                    .setCallId("c" + name)
                                    .setName("tool")
                                    .setArguments("{}"));
        }
        return message.build();
    }

    private ConverseRequest edge(String what, String name) {
        var message = ConverseRequest.newBuilder();
        return switch (what) {
            case "s" ->
                    message.setSpeechStarted(SpeechStarted.newBuilder().setAudioOffsetMs(millis))
                            .build();
            case "e" ->
                    message.setSpeechStopped(SpeechStopped.newBuilder().setAudioOffsetMs(millis))
                            .build();
            case "p" ->
                    message.setPlaybackStarted(
                                    PlaybackStarted.newBuilder()
                                            .setResponseId(name)
                                            .setItemId("i" + name))
                            .build();
            case "q" ->
                    message.setPlaybackStopped(
                                    PlaybackStopped.newBuilder()
                                            .setResponseId(name)
                                            .setItemId("i" + name)
                                            .setAudioEndMs(millis))
                            .build();
            default -> cleared(name, "i" + name);
        };
    }

    private ConverseRequest cleared(String name, String item) {
        return ConverseRequest.newBuilder()
                .setPlaybackCleared(
                        PlaybackCleared.newBuilder()
                                .setClearedResponseId(name)
                                .setResponseId(name)
                                .setItemId(item)
                                .setAudioEndMs(millis))
                .build();
    }

    private void pass(long seconds) {
        long end = now + seconds * NANOS_PER_SECOND;
        for (int timers = 0; surface.deadlineNanos() - end <= 0; timers++) {
            Input.demand(timers < MAX_TIMERS, "a timer that never rests");
            now = Math.max(now, surface.deadlineNanos());
            surface.onTimer(now);
        }
        now = end;
    }

    /** The client still gets what it asks for, and nothing is told twice. */
    private void end() {
        for (int i = 0; i < 3; i++) {
            pass(100);
        }
        int before = errors;
        surface.said(CLIENT, "{\"type\":\"nonsense\"}", now);
        Input.demand(errors == before + 1, "the session is dead");
    }

    private JsonObject parse(String text) {
        JsonObject event = JsonParser.parseString(text).getAsJsonObject();
        Input.demand(eventIds.add(string(event, "event_id")), "an event_id twice");
        if (string(event, "type").equals("error")) {
            errors++;
        }
        return event;
    }

    private void hear(JsonObject event) {
        String type = string(event, "type");
        switch (type) {
            case "response.created" -> {
                Input.demand(done.containsAll(created), "two responses at once");
                Input.demand(created.add(response(event)), "a response created twice");
            }
            case "response.done" -> {
                Input.demand(created.contains(response(event)), "done before it was created");
                Input.demand(done.add(response(event)), "a response done twice");
                Input.demand(unfinished.isEmpty(), "a response done before its items");
            }
            case "response.output_item.added" -> {
                Input.demand(!done.containsAll(created), "an item of no response");
                Input.demand(outputs.add(item(event)), "an item of a response twice");
                unfinished.add(item(event));
            }
            case "response.output_item.done" ->
                    Input.demand(unfinished.remove(item(event)), "an item done, but not begun");
            case "response.content_part.added",
                    "response.content_part.done",
                    "response.output_text.delta",
                    "response.output_text.done",
                    "response.output_audio.done",
                    "response.output_audio_transcript.delta",
                    "response.output_audio_transcript.done",
                    "response.function_call_arguments.delta",
                    "response.function_call_arguments.done" ->
                    Input.demand(unfinished.contains(string(event, "item_id")), type);
            case "conversation.item.added" -> Input.demand(items.add(item(event)), "an item twice");
            case "conversation.item.deleted" ->
                    Input.demand(items.remove(string(event, "item_id")), "deleted twice");
            case "conversation.item.truncated" ->
                    Input.demand(outputs.contains(string(event, "item_id")), "a stranger cut off");
            case "output_audio_buffer.started" -> {
                Input.demand(created.contains(buffer(event)), "heard before it was created");
                Input.demand(heard.add(buffer(event)), "started twice");
            }
            case "output_audio_buffer.stopped", "output_audio_buffer.cleared" ->
                    Input.demand(heard.remove(buffer(event)), "stopped, but not started");
            default -> {}
        }
    }

    private static String string(JsonObject event, String name) {
        return event.get(name).getAsString();
    }

    private static String response(JsonObject event) {
        return string(event.getAsJsonObject("response"), "id");
    }

    private static String item(JsonObject event) {
        return string(event.getAsJsonObject("item"), "id");
    }

    private static String buffer(JsonObject event) {
        return string(event, "response_id");
    }

    // --- the edge

    @Override
    public void tellAll(String event) {
        hear(parse(event));
    }

    @Override
    public void tell(EventClient client, String event) {
        var _ = parse(event);
    }

    @Override
    public void pass(ConverseResponse message) {
        throw new AssertionError("nothing is passed on here");
    }

    @Override
    public void toInference(ConverseRequest message) {
        Input.demand(message.getSerializedSize() < 4 << 20, "too much for inference");
    }

    @Override
    public void clear(String responseId) {
        clearing.add(responseId);
    }

    @Override
    public void refuse(String responseId) {}

    @Override
    public void detectSpeech(@Nullable SpeechSettings settings) {}

    @Override
    public long inputMillis() {
        return millis;
    }
}
