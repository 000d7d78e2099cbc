package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.transceiver.speech.SpeechSettings;
import org.jspecify.annotations.Nullable;

/** What the surface of one call can do. Owned by the {@link InferenceCall}; its surface enters. */
final class SurfaceEdge implements EventSurface.Edge {
    private final CallEvents events;
    private final InferenceLink link;
    private final OutputIntake intake;
    private final CallAudio audio;

    SurfaceEdge(CallEvents events, InferenceLink link, OutputIntake intake, CallAudio audio) {
        this.events = events;
        this.link = link;
        this.intake = intake;
        this.audio = audio;
    }

    @Override
    public void tellAll(String event) {
        events.tellAll(event);
    }

    @Override
    public void tell(EventClient client, String event) {
        events.tell(client, event);
    }

    @Override
    public void pass(ConverseResponse message) {
        events.pass(message);
    }

    @Override
    public void toInference(ConverseRequest message) {
        link.sendEvent(message);
    }

    @Override
    public void clear(String responseId) {
        intake.clear(responseId);
    }

    @Override
    public void refuse(String responseId) {
        intake.refuse(responseId);
    }

    @Override
    public void detectSpeech(@Nullable SpeechSettings settings) {
        audio.detectSpeech(settings);
    }

    @Override
    public long inputMillis() {
        return audio.inputMillis();
    }
}
