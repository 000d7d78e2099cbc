package dev.parley.transceiver.realtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.parley.proto.inference.v1.CancelReason;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.Error;
import dev.parley.proto.inference.v1.OutputText;
import dev.parley.proto.inference.v1.RateLimit;
import dev.parley.proto.inference.v1.RateLimits;
import dev.parley.proto.inference.v1.ResponseDone;
import dev.parley.proto.inference.v1.ResponseStatus;
import dev.parley.proto.inference.v1.Usage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of events on turns of a conversation. */
class RealtimeTurnsTest {
    private static final String TRANSCRIBED =
            "{\"audio\":{\"input\":{\"transcription\":{\"model\":\"any\"}}}}";

    private final SurfaceRig rig = new SurfaceRig(TRANSCRIBED);

    @Test
    void aTurnOfACallerIsCommittedWhenSpeechStops() {
        rig.turn(300, 1_300);

        assertThat(rig.said())
                .containsExactly(
                        "input_audio_buffer.speech_started",
                        "up SPEECH_STARTED",
                        "input_audio_buffer.speech_stopped",
                        "up SPEECH_STOPPED",
                        "input_audio_buffer.committed",
                        "conversation.item.added",
                        "conversation.item.done",
                        "up INPUT_COMMITTED");
        String item = rig.event("input_audio_buffer.speech_started").get("item_id").getAsString();
        assertThat(rig.event("input_audio_buffer.committed").get("item_id").getAsString())
                .isEqualTo(item);
        assertThat(rig.up().getInputCommitted().getItemId()).isEqualTo(item);
        assertThat(rig.up().getInputCommitted().getAudioStartMs()).isEqualTo(300);
        assertThat(rig.up().getInputCommitted().getAudioEndMs()).isEqualTo(1_300);
        assertThat(rig.up().getInputCommitted().getAwaitRequest()).isFalse();
    }

    @Test
    void whatACallerSaidIsToldInPiecesAndThenWhole() {
        rig.turn(0, 1_000);
        rig.said();
        rig.heard("good", false);
        rig.heard("good morning", true);

        assertThat(rig.said())
                .containsExactly(
                        "conversation.item.input_audio_transcription.delta",
                        "conversation.item.input_audio_transcription.delta",
                        "conversation.item.input_audio_transcription.completed");
        JsonObject completed = rig.event("conversation.item.input_audio_transcription.completed");
        assertThat(completed.get("transcript").getAsString()).isEqualTo("good morning");
        assertThat(completed.getAsJsonObject("usage").get("seconds").getAsDouble()).isEqualTo(1);
        assertThat(
                        rig.event("conversation.item.input_audio_transcription.delta")
                                .get("delta")
                                .getAsString())
                .isEqualTo(" morning");
    }

    @Test
    void whatIsUnderstoodWhileTheCallerSpeaksWaitsForItsItem() {
        rig.speechStarts(0);
        rig.heard("good", true);
        rig.said();
        rig.speechStops(500);

        assertThat(rig.said())
                .containsSubsequence(
                        "conversation.item.added",
                        "conversation.item.input_audio_transcription.completed");
    }

    @Test
    void nobodyReadsTranscriptsThatDidNotAskForThem() {
        SurfaceRig silent = new SurfaceRig();
        silent.turn(0, 1_000);
        silent.said();
        silent.heard("good morning", true);
        assertThat(silent.said()).isEmpty();
    }

    @Test
    void aBackendThatOnlySpeaksMakesAWholeResponse() {
        rig.audio("r1", "");
        rig.says("r1", "Hello ");
        rig.says("r1", "there.");
        rig.playbackStarts("r1", "");
        rig.playbackStops("r1", "", 900);
        rig.pass(400);
        assertThat(rig.said())
                .containsExactly(
                        "response.created",
                        "response.output_item.added",
                        "conversation.item.added",
                        "response.content_part.added",
                        "response.output_audio_transcript.delta",
                        "response.output_audio_transcript.delta",
                        "up PLAYBACK_STARTED",
                        "output_audio_buffer.started",
                        "up PLAYBACK_STOPPED");
        rig.pass(200);
        assertThat(rig.said())
                .containsExactly(
                        "response.output_audio.done",
                        "response.output_audio_transcript.done",
                        "response.content_part.done",
                        "conversation.item.done",
                        "response.output_item.done",
                        "response.done",
                        "output_audio_buffer.stopped");
        JsonObject response = rig.event("response.done").getAsJsonObject("response");
        assertThat(response.get("status").getAsString()).isEqualTo("completed");
        assertThat(response.get("id").getAsString()).isEqualTo("r1");
        JsonObject content =
                response.getAsJsonArray("output")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("content")
                        .get(0)
                        .getAsJsonObject();
        assertThat(content.get("transcript").getAsString()).isEqualTo("Hello there.");
        assertThat(rig.waits()).isFalse();
    }

    @Test
    void aResponseThatFallsBehindGoesOn() {
        rig.audio("r1", "");
        rig.playbackStarts("r1", "");
        rig.playbackStops("r1", "", 400);
        rig.pass(300);
        rig.playbackStarts("r1", "");
        rig.pass(10_000);
        rig.playbackStops("r1", "", 900);
        rig.pass(500);
        assertThat(rig.said().stream().filter(each -> each.startsWith("output_audio_buffer")))
                .containsExactly("output_audio_buffer.started", "output_audio_buffer.stopped");
    }

    @Test
    void aBackendThatEndsItsResponsesIsTakenAtItsWord() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.playbackStops("r1", "i1", 400);
        rig.pass(30_000);
        assertThat(rig.said()).doesNotContain("response.done");
        rig.done("r1");
        assertThat(rig.said()).endsWith("response.done", "output_audio_buffer.stopped");
    }

    @Test
    void aResponseIsDoneBeforeItIsHeardOut() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.done("r1");
        assertThat(rig.said()).endsWith("response.done");
        rig.playbackStops("r1", "i1", 900);
        assertThat(rig.said())
                .containsExactly("up PLAYBACK_STOPPED", "output_audio_buffer.stopped");
    }

    @Test
    void theNextResponseEndsTheOneBefore() {
        rig.audio("r1", "");
        rig.said();
        rig.audio("r2", "");
        assertThat(rig.said()).containsSubsequence("response.done", "response.created");
        assertThat(
                        rig.event("response.created")
                                .getAsJsonObject("response")
                                .get("id")
                                .getAsString())
                .isEqualTo("r2");
    }

    private List<String> created() {
        return rig.events.stream()
                .filter(each -> each.get("type").getAsString().equals("response.created"))
                .map(each -> each.getAsJsonObject("response").get("id").getAsString())
                .toList();
    }

    @Test
    void aNameThatComesAgainIsAnotherResponseEachTime() {
        for (int i = 0; i < 4; i++) {
            rig.starts("r1");
            rig.done("r1");
        }
        rig.says("resp_0123456789ab_99", "Hello.");
        assertThat(created()).hasSize(5).doesNotHaveDuplicates().contains("r1");
        assertThat(created()).doesNotContain("resp_0123456789ab_99");
    }

    @Test
    void itemsOfResponsesOutsideTheConversationHaveIdsOfTheirOwn() {
        for (int i = 0; i < 2; i++) {
            rig.send("{\"type\":\"response.create\",\"response\":{\"conversation\":\"none\"}}");
            rig.audio("r" + i, "i1");
            rig.done("r" + i);
        }
        assertThat(rig.said()).doesNotContain("conversation.item.added");
        assertThat(
                        rig.events.stream()
                                .filter(
                                        each ->
                                                each.get("type")
                                                        .getAsString()
                                                        .equals("response.output_item.added"))
                                .map(each -> each.getAsJsonObject("item").get("id").getAsString()))
                .hasSize(2)
                .doesNotHaveDuplicates();
    }

    @Test
    void whatIsHeardUnderANameThatComesAgainIsTheNewResponses() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.done("r1");
        rig.said();
        rig.starts("r1");
        assertThat(rig.said())
                .containsExactly(
                        "response.created",
                        "output_audio_buffer.stopped",
                        "output_audio_buffer.started");
        rig.done("r1");
        rig.playbackStops("r1", "i1", 900);
        assertThat(rig.said())
                .containsExactly(
                        "response.done", "up PLAYBACK_STOPPED", "output_audio_buffer.stopped");
        assertThat(rig.event("output_audio_buffer.stopped").get("response_id").getAsString())
                .isEqualTo(created().getLast());
    }

    @Test
    void aResponseThatIsForgottenIsNotHeardForEver() {
        rig.starts("r0");
        rig.audio("r0", "i0");
        rig.playbackStarts("r0", "i0");
        rig.done("r0");
        rig.said();
        for (int i = 1; i <= 64; i++) {
            rig.starts("r" + i);
            rig.done("r" + i);
        }
        assertThat(rig.said()).containsOnlyOnce("output_audio_buffer.stopped");
    }

    private String lastStatus() {
        JsonObject response = rig.event("response.done").getAsJsonObject("response");
        return response.get("status").getAsString();
    }

    @Test
    void aResponseThatTheNextOneEndsWhileItIsBeingCutWasCancelled() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.speechStarts(5_000);
        rig.starts("r2");
        assertThat(lastStatus()).isEqualTo("cancelled");
        rig.said();
        rig.cleared("r1", "r1", "i1", 700);
        assertThat(rig.said())
                .containsExactly(
                        "up PLAYBACK_CLEARED",
                        "output_audio_buffer.cleared",
                        "conversation.item.truncated",
                        "up ITEM_TRUNCATED");
    }

    @Test
    void aResponseThatIsCutBeforeItBeginsUnderAnotherNameIsCutThere() {
        rig.send("{\"type\":\"response.create\"}");
        String asked = rig.up().getResponseRequested().getResponseId();
        rig.speechStarts(5_000);
        rig.said();
        rig.audio("own", "i1");
        assertThat(rig.said()).containsExactly("edge clear own", "up RESPONSE_CANCELLED");
        assertThat(rig.up().getResponseCancelled().getResponseId()).isEqualTo("own");
        rig.cleared(asked, "", "", 0);
        rig.cleared("own", "own", "i1", 0);
        assertThat(rig.said()).containsOnlyOnce("response.done");
        assertThat(lastStatus()).isEqualTo("cancelled");
        rig.speechStops(6_000);
        rig.said();
        rig.send("{\"type\":\"response.create\"}");
        assertThat(rig.said()).containsExactly("response.created", "up RESPONSE_REQUESTED");
    }

    @Test
    void aBackendMayClearAllBeforeItAnswersARequest() {
        rig.send("{\"type\":\"response.create\"}");
        String asked = rig.up().getResponseRequested().getResponseId();
        rig.cleared("", "", "", 0);
        rig.said();
        rig.says(asked, "Hello.");
        assertThat(rig.said()).contains("response.output_audio_transcript.delta");
    }

    @Test
    void aCallerWhoIsSilentIsSpokenTo() {
        SurfaceRig patient =
                new SurfaceRig(
                        "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\","
                                + "\"idle_timeout_ms\":6000}}}}");
        patient.pass(60_000);
        assertThat(patient.said()).isEmpty();
        patient.inputMillis = 60_000;
        patient.starts("r1");
        patient.audio("r1", "i1");
        patient.playbackStarts("r1", "i1");
        patient.done("r1");
        patient.pass(20_000);
        patient.inputMillis = 80_000;
        patient.playbackStops("r1", "i1", 20_000);
        patient.inputMillis = 86_000;
        patient.said();
        patient.pass(5_999);
        assertThat(patient.said()).isEmpty();
        patient.pass(1);
        assertThat(patient.said())
                .containsExactly(
                        "input_audio_buffer.timeout_triggered",
                        "input_audio_buffer.committed",
                        "conversation.item.added",
                        "conversation.item.done",
                        "up INPUT_COMMITTED");
        JsonObject event = patient.event("input_audio_buffer.timeout_triggered");
        assertThat(event.get("audio_start_ms").getAsInt()).isEqualTo(80_000);
        assertThat(event.get("audio_end_ms").getAsInt()).isEqualTo(86_000);
        assertThat(event.get("item_id").getAsString())
                .isEqualTo(patient.up().getInputCommitted().getItemId());
        assertThat(patient.up().getInputCommitted().getTimedOut()).isTrue();
        assertThat(patient.up().getInputCommitted().getAwaitRequest()).isFalse();
        assertThat(patient.waits()).isFalse();

        // Behind the answer to that it is counted anew, until the caller speaks.
        patient.says("r2", "Are you there?");
        patient.done("r2");
        assertThat(patient.waits()).isTrue();
        patient.turn(87_000, 88_000);
        assertThat(patient.waits()).isFalse();
    }

    @Test
    void aCallerWhoInterruptsCutsTheResponseWhereItWasHeard() {
        rig.audio("r1", "i1");
        rig.says("r1", "A long story.");
        rig.playbackStarts("r1", "i1");
        rig.said();

        rig.speechStarts(5_000);
        assertThat(rig.said())
                .containsExactly(
                        "input_audio_buffer.speech_started",
                        "up SPEECH_STARTED",
                        "edge clear r1",
                        "up RESPONSE_CANCELLED");
        assertThat(rig.up().getResponseCancelled().getReason())
                .isEqualTo(CancelReason.CANCEL_REASON_TURN_DETECTED);

        rig.cleared("r1", "r1", "i1", 740);
        assertThat(rig.said())
                .containsExactly(
                        "up PLAYBACK_CLEARED",
                        "output_audio_buffer.cleared",
                        "response.output_audio.done",
                        "response.output_audio_transcript.done",
                        "response.content_part.done",
                        "conversation.item.done",
                        "response.output_item.done",
                        "response.done",
                        "conversation.item.truncated",
                        "up ITEM_TRUNCATED");
        JsonObject response = rig.event("response.done").getAsJsonObject("response");
        assertThat(response.get("status").getAsString()).isEqualTo("cancelled");
        assertThat(response.getAsJsonObject("status_details").get("reason").getAsString())
                .isEqualTo("turn_detected");
        assertThat(rig.event("conversation.item.truncated").get("audio_end_ms").getAsLong())
                .isEqualTo(740);
        assertThat(rig.event("conversation.item.truncated").get("item_id").getAsString())
                .isEqualTo("i1");
        assertThat(rig.up().getItemTruncated().getAudioEndMs()).isEqualTo(740);

        // What was under way is not wanted any more.
        rig.says("r1", "And so on.");
        rig.calls("r1", "c1", "{}");
        rig.done("r1");
        assertThat(rig.said()).isEmpty();
    }

    @Test
    void anInterruptedResponseThatWasDoneIsOnlyCut() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.done("r1");
        rig.playbackStarts("r1", "i1");
        rig.speechStarts(5_000);
        rig.said();
        rig.cleared("r1", "r1", "i1", 120);
        assertThat(rig.said())
                .containsExactly(
                        "up PLAYBACK_CLEARED",
                        "output_audio_buffer.cleared",
                        "conversation.item.truncated",
                        "up ITEM_TRUNCATED");
    }

    @Test
    void aResponseThatIsDoneWhileItIsBeingCutWasCancelled() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.speechStarts(5_000);
        rig.said();
        rig.done("r1");
        assertThat(rig.said()).isEmpty();
        rig.cleared("r1", "r1", "i1", 120);
        assertThat(
                        rig.event("response.done")
                                .getAsJsonObject("response")
                                .get("status")
                                .getAsString())
                .isEqualTo("cancelled");
    }

    @Test
    void aResponseThatRanDryBeforeItWasCompleteIsCutThere() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.playbackStops("r1", "i1", 640);
        rig.speechStarts(5_000);
        rig.said();
        rig.cleared("r1", "", "", 0);
        assertThat(rig.said())
                .startsWith("up PLAYBACK_CLEARED", "output_audio_buffer.cleared")
                .endsWith("response.done", "conversation.item.truncated", "up ITEM_TRUNCATED");
        assertThat(rig.event("conversation.item.truncated").get("audio_end_ms").getAsLong())
                .isEqualTo(640);
    }

    @Test
    void aBackendThatInterruptsItselfIsUnderstoodTheSame() {
        SurfaceRig own = new SurfaceRig("{\"audio\":{\"input\":{\"turn_detection\":null}}}");
        own.audio("r1", "");
        own.playbackStarts("r1", "");
        own.said();
        own.cleared("r1", "r1", "", 60);
        assertThat(own.said())
                .startsWith("up PLAYBACK_CLEARED", "output_audio_buffer.cleared")
                .endsWith("response.done", "conversation.item.truncated", "up ITEM_TRUNCATED");
    }

    @Test
    void aClearThatComesTwiceIsToldOnce() {
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.speechStarts(5_000);
        rig.cleared("r1", "r1", "i1", 740);
        rig.said();
        rig.cleared("r1", "", "", 0);
        assertThat(rig.said()).containsExactly("up PLAYBACK_CLEARED");
    }

    @Test
    void whatWasQueuedButNotHeardIsCutAtItsStart() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.audio("r1", "i2");
        rig.playbackStarts("r1", "i1");
        rig.speechStarts(5_000);
        rig.said();
        rig.cleared("r1", "r1", "i1", 50);
        assertThat(
                        rig.events.stream()
                                .filter(
                                        each ->
                                                each.get("type")
                                                        .getAsString()
                                                        .endsWith("truncated"))
                                .map(each -> each.get("audio_end_ms").getAsInt()))
                .containsExactly(50, 0);
    }

    @Test
    void speechDoesNotInterruptWhereTheSessionForbidsIt() {
        SurfaceRig polite =
                new SurfaceRig(
                        "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\","
                                + "\"interrupt_response\":false,\"create_response\":false}}}}");
        polite.audio("r1", "");
        polite.playbackStarts("r1", "");
        polite.said();
        polite.turn(100, 900);
        assertThat(polite.said()).noneMatch(each -> each.startsWith("edge"));
        assertThat(polite.up.get(1).getSpeechStarted().getKeepSpeaking()).isTrue();
        assertThat(polite.up().getInputCommitted().getAwaitRequest()).isTrue();
    }

    @Test
    void aToolIsCalledAndItsAnswerIsAnswered() {
        rig.starts("r1");
        rig.said();
        rig.calls("r1", "c1", "{\"city\":\"Bonn\"}");
        rig.done("r1");
        assertThat(rig.said())
                .containsExactly(
                        "response.output_item.added",
                        "conversation.item.added",
                        "response.function_call_arguments.delta",
                        "response.function_call_arguments.done",
                        "conversation.item.done",
                        "response.output_item.done",
                        "response.done");
        JsonObject call = rig.event("response.output_item.done").getAsJsonObject("item");
        assertThat(call.get("status").getAsString()).isEqualTo("completed");
        assertThat(call.get("arguments").getAsString()).isEqualTo("{\"city\":\"Bonn\"}");

        rig.send(
                "{\"type\":\"conversation.item.create\",\"item\":{\"type\":"
                        + "\"function_call_output\",\"call_id\":\"c1\",\"output\":\"sunny\"}}");
        rig.send("{\"type\":\"response.create\"}");
        assertThat(rig.said())
                .containsExactly(
                        "conversation.item.added",
                        "conversation.item.done",
                        "up ITEM_CREATED",
                        "response.created",
                        "up RESPONSE_REQUESTED");
        assertThat(rig.up.get(rig.up.size() - 2).getItemCreated().getFunctionCallOutput())
                .satisfies(
                        output -> {
                            assertThat(output.getCallId()).isEqualTo("c1");
                            assertThat(output.getOutput()).isEqualTo("sunny");
                        });

        // Whatever the backend calls it, what it says next is the answer.
        String asked = rig.up().getResponseRequested().getResponseId();
        rig.audio("parrot-2", "");
        assertThat(rig.said()).doesNotContain("response.created");
        assertThat(rig.event("response.content_part.added").get("response_id").getAsString())
                .isEqualTo(asked);
    }

    @Test
    void textIsToldAsText() {
        rig.infer(
                ConverseResponse.newBuilder()
                        .setOutputText(
                                OutputText.newBuilder().setResponseId("r1").setText("Hello.")));
        rig.pass(5_000);
        assertThat(rig.said())
                .containsExactly(
                        "response.created",
                        "response.output_item.added",
                        "conversation.item.added",
                        "response.content_part.added",
                        "response.output_text.delta",
                        "response.output_text.done",
                        "response.content_part.done",
                        "conversation.item.done",
                        "response.output_item.done",
                        "response.done");
    }

    @Test
    void usageFailuresLimitsAndErrorsArePassedOn() {
        rig.infer(
                ConverseResponse.newBuilder()
                        .setResponseDone(
                                ResponseDone.newBuilder()
                                        .setResponseId("r1")
                                        .setStatus(ResponseStatus.RESPONSE_STATUS_FAILED)
                                        .setReason("overloaded")
                                        .setMessage("Too busy.")
                                        .setUsage(Usage.newBuilder().setInputTokens(7))));
        JsonObject response = rig.event("response.done").getAsJsonObject("response");
        assertThat(response.get("status").getAsString()).isEqualTo("failed");
        assertThat(response.getAsJsonObject("status_details").getAsJsonObject("error").toString())
                .contains("overloaded", "Too busy.");
        assertThat(response.getAsJsonObject("usage").get("input_tokens").getAsInt()).isEqualTo(7);

        rig.infer(
                ConverseResponse.newBuilder()
                        .setRateLimits(
                                RateLimits.newBuilder()
                                        .addLimits(
                                                RateLimit.newBuilder()
                                                        .setName("tokens")
                                                        .setRemaining(5))));
        assertThat(rig.event("rate_limits.updated").getAsJsonArray("rate_limits")).hasSize(1);

        rig.infer(
                ConverseResponse.newBuilder()
                        .setError(Error.newBuilder().setCode("tool_down").setMessage("Sorry.")));
        assertThat(rig.event("error").getAsJsonObject("error").get("type").getAsString())
                .isEqualTo("server_error");
        assertThat(rig.toldLast).isNull();
    }

    @Test
    void aResponseThatNobodyBeginsFails() {
        rig.send("{\"type\":\"response.create\",\"response\":{\"metadata\":{\"a\":\"b\"}}}");
        rig.pass(59_000);
        assertThat(rig.said()).doesNotContain("response.done");
        rig.pass(1_000);
        JsonObject response = rig.event("response.done").getAsJsonObject("response");
        assertThat(response.get("status").getAsString()).isEqualTo("failed");
        assertThat(response.getAsJsonObject("metadata").get("a").getAsString()).isEqualTo("b");
    }

    @Test
    void cancellingAndClearingCutsWhatIsHeard() {
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.said();
        rig.send("{\"type\":\"response.cancel\"}");
        assertThat(rig.said())
                .startsWith("edge refuse r1", "up RESPONSE_CANCELLED")
                .endsWith("response.done");
        rig.send("{\"type\":\"output_audio_buffer.clear\"}");
        assertThat(rig.said()).containsExactly("edge clear r1");
        rig.cleared("r1", "r1", "i1", 99);
        assertThat(rig.said())
                .containsExactly(
                        "up PLAYBACK_CLEARED",
                        "output_audio_buffer.cleared",
                        "conversation.item.truncated",
                        "up ITEM_TRUNCATED");
        assertThat(
                        rig.event("response.done")
                                .getAsJsonObject("response")
                                .getAsJsonObject("status_details")
                                .get("reason")
                                .getAsString())
                .isEqualTo("client_cancelled");
    }

    @Test
    void namesThatAreTooLongAreDroppedAndCounted() {
        String name = "x".repeat(1_025);
        rig.starts(name);
        rig.says(name, "Hello.");
        rig.calls("r1", name, "{}");
        rig.done(name);
        assertThat(rig.said()).isEmpty();
        assertThat(rig.counters.errors())
                .hasEntrySatisfying(
                        "name_too_long", count -> assertThat(count.getAsLong()).isEqualTo(4));
    }

    @Test
    void aCallOfManyTurnsIsNotRememberedWhole() {
        for (int i = 0; i < 3 * Conversation.MAX_ITEMS; i++) {
            rig.turn(i * 2_000L, i * 2_000L + 1_000);
            rig.audio("r" + i, "");
            rig.done("r" + i);
            rig.playbackStarts("r" + i, "");
            rig.playbackStops("r" + i, "", 10);
            rig.events.clear();
            rig.up.clear();
        }
        assertThat(rig.said()).isNotEmpty();
        rig.send("{\"type\":\"conversation.item.retrieve\",\"item_id\":\"item_0123456789ab_1\"}");
        assertThat(rig.event("error").getAsJsonObject("error").get("code").getAsString())
                .isEqualTo("item_not_found");
        assertThat(List.of(rig.waits())).containsExactly(false);
    }
}
