package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.inferencestub.TestEdge.Call;
import dev.parley.proto.inference.v1.CancelReason;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EventSurface;
import dev.parley.proto.inference.v1.FunctionCallOutput;
import dev.parley.proto.inference.v1.InputCommitted;
import dev.parley.proto.inference.v1.ItemCreated;
import dev.parley.proto.inference.v1.ResponseCancelled;
import dev.parley.proto.inference.v1.ResponseRequested;
import dev.parley.proto.inference.v1.ResponseStatus;
import dev.parley.proto.inference.v1.SpeechStarted;
import dev.parley.proto.inference.v1.TextMessage;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The stub's agents where the edge speaks the Realtime API's events with the client. */
class RealtimeAgentsTest {
    private static final String SESSION = "{\"type\": \"realtime\"}";

    private final TestEdge edge = new TestEdge();

    @AfterEach
    void close() {
        edge.close();
    }

    private Call start(String model, String session) {
        return edge.open().send(TestEdge.START.clone().setModel(model).setSessionJson(session));
    }

    private static Call commit(Call call, long fromMs, long toMs, boolean await) {
        return call.send(
                ConverseRequest.newBuilder()
                        .setInputCommitted(
                                InputCommitted.newBuilder()
                                        .setItemId("item-1")
                                        .setAudioStartMs(fromMs)
                                        .setAudioEndMs(toMs)
                                        .setAwaitRequest(await))
                        .build());
    }

    private static Call request(Call call) {
        return call.send(
                ConverseRequest.newBuilder()
                        .setResponseRequested(
                                ResponseRequested.newBuilder().setResponseId("resp-9"))
                        .build());
    }

    private static Call write(Call call, String text) {
        return call.send(
                ConverseRequest.newBuilder()
                        .setItemCreated(
                                ItemCreated.newBuilder()
                                        .setMessage(TextMessage.newBuilder().setText(text)))
                        .build());
    }

    private static List<ConverseResponse.MessageCase> cases(Call call) {
        return call.responses.stream().map(ConverseResponse::getMessageCase).distinct().toList();
    }

    @Test
    void theEdgeIsAskedForTheEventsThatTheClientSpeaks() {
        assertThat(
                        start("parrot", SESSION)
                                .responses
                                .getFirst()
                                .getSessionReady()
                                .getEventSurface())
                .isEqualTo(EventSurface.EVENT_SURFACE_REALTIME);
        assertThat(start("parrot", "").responses.getFirst().getSessionReady().getEventSurface())
                .isEqualTo(EventSurface.EVENT_SURFACE_VERBATIM);
    }

    @Test
    void theParrotSaysTheTurnThatTheEdgeCutOut() {
        Call call = start("parrot", SESSION).speak(new short[48_000]);
        commit(call, 500, 1_000, false);

        assertThat(cases(call))
                .containsExactly(
                        ConverseResponse.MessageCase.SESSION_READY,
                        ConverseResponse.MessageCase.TRANSCRIPT,
                        ConverseResponse.MessageCase.RESPONSE_STARTED,
                        ConverseResponse.MessageCase.OUTPUT_AUDIO,
                        ConverseResponse.MessageCase.RESPONSE_DONE);
        assertThat(call.audio("parrot-1")).hasSize(12_000);
        assertThat(call.responses.get(1).getTranscript().getItemId()).isEqualTo("item-1");
    }

    @Test
    void aTurnThatTheClientCommitsIsAnsweredWhenItAsks() {
        Call call = start("parrot", SESSION).speak(new short[24_000]);
        commit(call, 0, 1_000, true);
        assertThat(call.audio("parrot-1")).isEmpty();
        request(call);
        assertThat(call.audio("parrot-1")).hasSize(24_000);
    }

    @Test
    void theParrotWritesWhatIsWritten() {
        Call call = start("parrot", SESSION);
        request(write(call, "Hello."));
        assertThat(call.responses)
                .extracting(each -> each.getOutputText().getText())
                .contains("Hello.");
        assertThat(call.responses.getLast().getResponseDone().getResponseId()).isEqualTo("resp-9");
    }

    @Test
    void aScriptCallsAToolAndGoesOnWithItsResult() {
        Call call =
                start(
                        "scripted",
                        """
                        {"type": "realtime", "script": {"turns": [
                          {"when": "request", "matching": "weather",
                           "do": [{"call": "weather {\\"city\\": \\"Bonn\\"}"}]},
                          {"when": "request", "matching": "sunny",
                           "do": [{"tell": "It is sunny."}, {"tone": "100ms"}]}]}}""");
        request(call);
        assertThat(call.responses.getLast().getResponseDone().getResponseId()).isEqualTo("resp-9");
        request(write(call, "How is the weather?"));
        ConverseResponse tool = call.responses.get(call.responses.size() - 2);
        assertThat(tool.getFunctionCall().getName()).isEqualTo("weather");
        assertThat(tool.getFunctionCall().getArguments()).isEqualTo("{\"city\": \"Bonn\"}");
        assertThat(call.responses.getLast().getResponseDone().getResponseId()).isEqualTo("turn-1");

        call.send(
                ConverseRequest.newBuilder()
                        .setItemCreated(
                                ItemCreated.newBuilder()
                                        .setFunctionCallOutput(
                                                FunctionCallOutput.newBuilder()
                                                        .setCallId("c")
                                                        .setOutput("sunny")))
                        .build());
        request(call);
        assertThat(call.audio("turn-2")).hasSize(2_400);
        assertThat(call.responses.getLast().getResponseDone().getStatus())
                .isEqualTo(ResponseStatus.RESPONSE_STATUS_COMPLETED);
    }

    @Test
    void aCancelledTurnIsNotGoneOnWith() {
        Call call =
                start(
                        "scripted",
                        """
                        {"type": "realtime", "script": {"turns": [
                          {"do": [{"tone": "1s"}, {"pause": "9s"}, {"tell": "never"}]}]}}""");
        call.send(
                ConverseRequest.newBuilder()
                        .setResponseCancelled(
                                ResponseCancelled.newBuilder()
                                        .setResponseId("turn-1")
                                        .setReason(CancelReason.CANCEL_REASON_CLIENT))
                        .build());
        edge.advance(10_000);
        assertThat(call.kinds()).doesNotContain("transcript never");
        assertThat(call.responses.getLast().getResponseDone().getStatus())
                .isEqualTo(ResponseStatus.RESPONSE_STATUS_CANCELLED);
    }

    @Test
    void speechThatMayNotInterruptDoesNot() {
        Call call =
                start(
                        "scripted",
                        """
                        {"type": "realtime", "script": {"turns": [
                          {"do": [{"tone": "1s"}, {"pause": "9s"}, {"tell": "later"}]}]}}""");
        call.send(
                ConverseRequest.newBuilder()
                        .setSpeechStarted(SpeechStarted.newBuilder().setKeepSpeaking(true))
                        .build());
        edge.advance(10_000);
        assertThat(call.kinds()).contains("transcript later").doesNotContain("clear turn-1");
    }
}
