package dev.parley.transceiver.realtime;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.FunctionCall;
import dev.parley.proto.inference.v1.OutputAudio;
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
import dev.parley.transceiver.speech.SpeechSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link RealtimeSurface} driven by hand, with all that it says in one list, in order. */
final class SurfaceRig implements EventSurface.Edge {
    static final long MILLIS = 1_000_000L;

    /** A client that is told apart from others. */
    static final class Client implements EventClient {
        @Override
        public void event(ServerEvent event) {}

        @Override
        public void ended() {}
    }

    /** What was said: types of events, and "up" or "edge" before what goes elsewhere. */
    private final List<String> said = new ArrayList<>();

    final List<JsonObject> events = new ArrayList<>();
    final List<ConverseRequest> up = new ArrayList<>();
    final Client client = new Client();
    final RealtimeCounters counters = new RealtimeCounters();
    private final EventSurface surface;
    @Nullable SpeechSettings speech;
    @Nullable EventClient toldLast;
    long now = -5_000 * MILLIS;
    long inputMillis;

    SurfaceRig() {
        this("");
    }

    SurfaceRig(String sessionJson) {
        this(sessionJson, SessionReady.getDefaultInstance());
    }

    SurfaceRig(String sessionJson, SessionReady ready) {
        surface =
                RealtimeSurface.factory(counters)
                        .make(
                                SessionStart.newBuilder()
                                        .setSessionId("0123456789abcdef0123456789abcdef")
                                        .setModel("parrot")
                                        .setSessionJson(sessionJson)
                                        .build(),
                                ready,
                                this,
                                now);
    }

    // --- what happens

    void attach() {
        surface.attached(client);
    }

    void send(String json) {
        surface.said(client, json, now);
    }

    void infer(ConverseResponse.Builder message) {
        surface.fromInference(message.build(), now);
    }

    void report(ConverseRequest.Builder message) {
        surface.fromEdge(message.build(), now);
    }

    void pass(long millis) {
        long end = now + millis * MILLIS;
        while (surface.deadlineNanos() != EventSurface.NEVER
                && surface.deadlineNanos() - end <= 0) {
            now = Math.max(now, surface.deadlineNanos());
            surface.onTimer(now);
        }
        now = end;
    }

    boolean waits() {
        return surface.deadlineNanos() != EventSurface.NEVER;
    }

    void speechStarts(long millis) {
        inputMillis = Math.max(inputMillis, millis);
        report(
                ConverseRequest.newBuilder()
                        .setSpeechStarted(SpeechStarted.newBuilder().setAudioOffsetMs(millis)));
    }

    void speechStops(long millis) {
        inputMillis = Math.max(inputMillis, millis);
        report(
                ConverseRequest.newBuilder()
                        .setSpeechStopped(SpeechStopped.newBuilder().setAudioOffsetMs(millis)));
    }

    void audio(String response, String item) {
        infer(
                ConverseResponse.newBuilder()
                        .setOutputAudio(
                                OutputAudio.newBuilder().setResponseId(response).setItemId(item)));
    }

    void starts(String response) {
        infer(
                ConverseResponse.newBuilder()
                        .setResponseStarted(ResponseStarted.newBuilder().setResponseId(response)));
    }

    void done(String response) {
        infer(
                ConverseResponse.newBuilder()
                        .setResponseDone(ResponseDone.newBuilder().setResponseId(response)));
    }

    void says(String response, String text) {
        infer(
                ConverseResponse.newBuilder()
                        .setTranscript(
                                Transcript.newBuilder()
                                        .setSpeaker(Speaker.SPEAKER_AGENT)
                                        .setResponseId(response)
                                        .setText(text)
                                        .setDelta(true)));
    }

    void heard(String text, boolean complete) {
        infer(
                ConverseResponse.newBuilder()
                        .setTranscript(
                                Transcript.newBuilder()
                                        .setSpeaker(Speaker.SPEAKER_USER)
                                        .setText(text)
                                        .setFinal(complete)));
    }

    void calls(String response, String callId, String arguments) {
        infer(
                ConverseResponse.newBuilder()
                        .setFunctionCall(
                                FunctionCall.newBuilder()
                                        .setResponseId(response)
                                        .setCallId(callId)
                                        .setName("weather")
                                        .setArguments(arguments)));
    }

    void playbackStarts(String response, String item) {
        report(
                ConverseRequest.newBuilder()
                        .setPlaybackStarted(
                                PlaybackStarted.newBuilder()
                                        .setResponseId(response)
                                        .setItemId(item)));
    }

    void playbackStops(String response, String item, long millis) {
        report(
                ConverseRequest.newBuilder()
                        .setPlaybackStopped(
                                PlaybackStopped.newBuilder()
                                        .setResponseId(response)
                                        .setItemId(item)
                                        .setAudioEndMs(millis)));
    }

    /** A ClearAudio was carried out while this was playing. */
    void cleared(String asked, String response, String item, long millis) {
        report(
                ConverseRequest.newBuilder()
                        .setPlaybackCleared(
                                PlaybackCleared.newBuilder()
                                        .setClearedResponseId(asked)
                                        .setResponseId(response)
                                        .setItemId(item)
                                        .setAudioEndMs(millis)));
    }

    /** A turn of the caller. */
    void turn(long from, long to) {
        speechStarts(from);
        speechStops(to);
    }

    // --- what came of it

    /** What was said since the last question. */
    List<String> said() {
        List<String> since = List.copyOf(said);
        said.clear();
        return since;
    }

    /** The latest event of this type. */
    JsonObject event(String type) {
        return events.reversed().stream()
                .filter(each -> each.get("type").getAsString().equals(type))
                .findFirst()
                .orElseThrow(() -> new AssertionError(type + " is not among " + events));
    }

    ConverseRequest up() {
        return up.getLast();
    }

    private void note(String event) {
        JsonObject json = JsonParser.parseString(event).getAsJsonObject();
        events.add(json);
        said.add(json.get("type").getAsString());
    }

    @Override
    public void tellAll(String event) {
        toldLast = null;
        note(event);
    }

    @Override
    public void tell(EventClient to, String event) {
        toldLast = to;
        note(event);
    }

    @Override
    public void pass(ConverseResponse message) {
        said.add("pass " + message.getMessageCase());
    }

    @Override
    public void toInference(ConverseRequest message) {
        up.add(message);
        said.add("up " + message.getMessageCase());
    }

    @Override
    public void clear(String responseId) {
        said.add("edge clear " + responseId);
    }

    @Override
    public void refuse(String responseId) {
        said.add("edge refuse " + responseId);
    }

    @Override
    public void detectSpeech(@Nullable SpeechSettings settings) {
        speech = settings;
    }

    @Override
    public long inputMillis() {
        return inputMillis;
    }
}
