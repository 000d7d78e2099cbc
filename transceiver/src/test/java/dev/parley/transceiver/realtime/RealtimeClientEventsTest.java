package dev.parley.transceiver.realtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SpeechDetection;
import dev.parley.transceiver.speech.SpeechSettings;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may send, what of it is carried out, and what is answered with an error. */
class RealtimeClientEventsTest {
    private final SurfaceRig rig = new SurfaceRig();

    private static JsonObject error(SurfaceRig rig) {
        return rig.event("error").getAsJsonObject("error");
    }

    private void assertRefused(String code, String event) {
        rig.said();
        rig.send(event);
        assertThat(rig.said()).containsExactly("error");
        assertThat(error(rig).get("code").getAsString()).isEqualTo(code);
        assertThat(rig.toldLast).isSameAs(rig.client);
    }

    // --- the session

    @Test
    void aClientIsGreetedWithTheSession() {
        rig.attach();
        JsonObject session = rig.event("session.created").getAsJsonObject("session");
        assertThat(session.get("model").getAsString()).isEqualTo("parrot");
        assertThat(session.get("type").getAsString()).isEqualTo("realtime");
        assertThat(session.getAsJsonObject("audio").getAsJsonObject("input").toString())
                .contains("server_vad");
        assertThat(rig.toldLast).isSameAs(rig.client);
        assertThat(rig.speech).isEqualTo(new SpeechSettings(0.5f, 300, 500));
    }

    @Test
    void anUpdateChangesWhatItNamesAndNothingElse() {
        rig.send(
                "{\"type\":\"session.update\",\"session\":{\"type\":\"realtime\",\"model\":\"other\","
                        + "\"instructions\":\"Be brief.\",\"mine\":[1],"
                        + "\"audio\":{\"input\":{\"transcription\":{\"model\":\"w\"}}}}}");
        assertThat(rig.said()).containsExactly("session.updated", "up SESSION_UPDATE");
        JsonObject session = rig.event("session.updated").getAsJsonObject("session");
        assertThat(session.get("model").getAsString()).isEqualTo("parrot");
        assertThat(session.get("instructions").getAsString()).isEqualTo("Be brief.");
        JsonObject input = session.getAsJsonObject("audio").getAsJsonObject("input");
        assertThat(input.getAsJsonObject("format").get("rate").getAsInt()).isEqualTo(24_000);
        assertThat(input.getAsJsonObject("transcription").get("model").getAsString())
                .isEqualTo("w");
        assertThat(rig.up().getSessionUpdate().getSessionJson()).contains("\"mine\":[1]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\":\"server_vad\"}|0.5,300,500",
                "{\"type\":\"server_vad\",\"threshold\":1,\"silence_duration_ms\":0}|0.99,300,0",
                "{\"type\":\"semantic_vad\"}|0.5,300,600",
                "{\"type\":\"semantic_vad\",\"eagerness\":\"low\"}|0.5,300,1500",
                "{\"type\":\"semantic_vad\",\"eagerness\":\"high\"}|0.5,300,300",
                "null|"
            })
    void turnDetectionBecomesTheEdgesDetector(String detection, String wanted) {
        rig.send(turnDetection(detection));
        assertThat(rig.said()).startsWith("session.updated");
        SpeechSettings speech = rig.speech;
        assertThat(
                        speech == null
                                ? null
                                : speech.threshold()
                                        + ","
                                        + speech.prefixPaddingMillis()
                                        + ","
                                        + speech.silenceDurationMillis())
                .isEqualTo(wanted);
    }

    private static String turnDetection(String detection) {
        return "{\"type\":\"session.update\",\"session\":{\"audio\":{\"input\":{\"turn_detection\":"
                + detection
                + "}}}}";
    }

    @Test
    void theBackendsWishCountsUntilTheClientHasOne() {
        SessionReady ready =
                SessionReady.newBuilder()
                        .setSpeechDetection(SpeechDetection.newBuilder().setSilenceDurationMs(200))
                        .build();
        assertThat(new SurfaceRig("", ready).speech).isEqualTo(new SpeechSettings(0.5f, 300, 200));
        String wish = "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\"}}}}";
        assertThat(new SurfaceRig(wish, ready).speech)
                .isEqualTo(new SpeechSettings(0.5f, 300, 500));
    }

    @Test
    void aSessionThatTheCallCameWithAndIsNoneIsToldOf() {
        SurfaceRig bad = new SurfaceRig("{\"output_modalities\":\"loud\"}");
        bad.attach();
        assertThat(bad.said()).containsExactly("session.created", "error");
        assertThat(error(bad).get("param").getAsString()).isEqualTo("session.output_modalities");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"transcription\"}",
                "{\"instructions\":5}",
                "{\"output_modalities\":[\"smell\"]}",
                "{\"output_modalities\":[]}",
                "{\"tools\":{}}",
                "{\"tools\":[5]}",
                "{\"tool_choice\":5}",
                "{\"max_output_tokens\":-1}",
                "{\"max_output_tokens\":0}",
                "{\"max_output_tokens\":1.5}",
                "{\"audio\":null}",
                "{\"audio\":{\"input\":null}}",
                "{\"audio\":{\"output\":{\"speed\":9}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":true}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"guess\"}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\","
                        + "\"threshold\":2}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\","
                        + "\"silence_duration_ms\":99999}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\","
                        + "\"idle_timeout_ms\":4999}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\","
                        + "\"idle_timeout_ms\":30001}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"semantic_vad\","
                        + "\"idle_timeout_ms\":6000}}}}",
                "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"semantic_vad\","
                        + "\"eagerness\":\"very\"}}}}"
            })
    void anUpdateThatIsWrongChangesNothing(String session) {
        rig.send("{\"type\":\"session.update\",\"event_id\":\"mine\",\"session\":" + session + "}");
        assertThat(rig.said()).containsExactly("error");
        assertThat(error(rig).get("event_id").getAsString()).isEqualTo("mine");
        assertThat(error(rig).get("param").getAsString()).startsWith("session.");
        assertThat(rig.speech).isEqualTo(SpeechSettings.DEFAULT);
    }

    // --- the input buffer

    @Test
    void aClientCommitsTurnsItself() {
        rig.send(turnDetection("null"));
        rig.inputMillis = 1_200;
        rig.said();
        rig.send("{\"type\":\"input_audio_buffer.commit\"}");
        assertThat(rig.said())
                .containsExactly(
                        "input_audio_buffer.committed",
                        "conversation.item.added",
                        "conversation.item.done",
                        "up INPUT_COMMITTED");
        assertThat(rig.up().getInputCommitted().getAudioEndMs()).isEqualTo(1_200);
        assertThat(rig.up().getInputCommitted().getAwaitRequest()).isTrue();
        assertRefused(
                "input_audio_buffer_commit_empty", "{\"type\":\"input_audio_buffer.commit\"}");

        rig.inputMillis = 2_000;
        rig.said();
        rig.send("{\"type\":\"input_audio_buffer.clear\"}");
        assertThat(rig.said()).containsExactly("input_audio_buffer.cleared", "up INPUT_CLEARED");
        assertRefused(
                "input_audio_buffer_commit_empty", "{\"type\":\"input_audio_buffer.commit\"}");
    }

    @Test
    void speechThatTheClientCommittedIsNotCommittedAgain() {
        rig.speechStarts(100);
        rig.inputMillis = 900;
        rig.send("{\"type\":\"input_audio_buffer.commit\"}");
        rig.said();
        rig.speechStops(1_000);
        assertThat(rig.said())
                .containsExactly("input_audio_buffer.speech_stopped", "up SPEECH_STOPPED");
    }

    @Test
    void audioInEventsIsRefused() {
        assertRefused("unsupported", "{\"type\":\"input_audio_buffer.append\",\"audio\":\"AAAA\"}");
    }

    // --- items

    @Test
    void itemsAreCreatedFoundAndDeleted() {
        rig.send(
                "{\"type\":\"conversation.item.create\",\"item\":{\"type\":\"message\",\"id\":\"m1\","
                        + "\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Hi\"}]}}");
        assertThat(rig.said())
                .containsExactly(
                        "conversation.item.added", "conversation.item.done", "up ITEM_CREATED");
        assertThat(rig.up().getItemCreated().getMessage().getText()).isEqualTo("Hi");
        rig.send(
                "{\"type\":\"conversation.item.create\",\"previous_item_id\":\"root\","
                        + "\"item\":{\"type\":\"message\",\"id\":\"m0\",\"role\":\"system\","
                        + "\"content\":[{\"type\":\"input_text\",\"text\":\"Be kind\"}]}}");
        assertThat(rig.event("conversation.item.added").get("previous_item_id").isJsonNull())
                .isTrue();
        rig.said();
        rig.send("{\"type\":\"conversation.item.retrieve\",\"item_id\":\"m1\"}");
        assertThat(rig.said()).containsExactly("conversation.item.retrieved");
        assertThat(rig.toldLast).isSameAs(rig.client);
        rig.send("{\"type\":\"conversation.item.delete\",\"item_id\":\"m1\"}");
        assertThat(rig.said()).containsExactly("conversation.item.deleted", "up ITEM_DELETED");
        assertRefused(
                "item_not_found", "{\"type\":\"conversation.item.delete\",\"item_id\":\"m1\"}");
    }

    @Test
    void noItemGetsTheIdOfAnother() {
        String create =
                "{\"type\":\"conversation.item.create\",\"item\":{\"type\":\"message\","
                        + "\"id\":\"%s\",\"role\":\"user\"}}";
        for (int i = 1; i < 20; i++) {
            rig.send(create.formatted("item_0123456789ab_" + i));
        }
        rig.speechStarts(100);
        String saying = rig.event("input_audio_buffer.speech_started").get("item_id").getAsString();
        assertRefused("item_already_exists", create.formatted(saying));
        rig.speechStops(900);
        rig.audio("r1", saying);
        rig.done("r1");
        assertThat(
                        rig.events.stream()
                                .filter(each -> type(each).equals("conversation.item.added"))
                                .map(each -> each.getAsJsonObject("item").get("id").getAsString()))
                .hasSize(21)
                .doesNotHaveDuplicates();
        // What was deleted may be written anew, as clients that edit their history do.
        rig.send("{\"type\":\"conversation.item.delete\",\"item_id\":\"" + saying + "\"}");
        rig.said();
        rig.send(create.formatted(saying));
        assertThat(rig.said()).startsWith("conversation.item.added");
    }

    private static String type(JsonObject event) {
        return event.get("type").getAsString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "missing_required_parameter|{\"type\":\"conversation.item.create\"}",
                "invalid_value|{\"type\":\"conversation.item.create\",\"item\":{\"type\":\"song\"}}",
                "invalid_value|{\"type\":\"conversation.item.create\",\"item\":{\"type\":\"message\","
                        + "\"role\":\"boss\"}}",
                "invalid_type|{\"type\":\"conversation.item.create\",\"item\":{\"type\":\"message\","
                        + "\"role\":\"user\",\"content\":[5]}}",
                "missing_required_parameter|{\"type\":\"conversation.item.create\",\"item\":"
                        + "{\"type\":\"function_call_output\",\"call_id\":\"c\"}}",
                "item_already_exists|{\"type\":\"conversation.item.create\",\"item\":{\"id\":"
                        + "\"root\",\"type\":\"message\",\"role\":\"user\"}}",
                "item_not_found|{\"type\":\"conversation.item.create\",\"previous_item_id\":\"x\","
                        + "\"item\":{\"type\":\"message\",\"role\":\"user\"}}",
                "item_not_found|{\"type\":\"conversation.item.retrieve\",\"item_id\":\"x\"}",
                "missing_required_parameter|{\"type\":\"conversation.item.retrieve\"}",
                "missing_required_parameter|{\"type\":\"conversation.item.truncate\","
                        + "\"item_id\":\"x\"}",
                "item_not_found|{\"type\":\"conversation.item.truncate\",\"item_id\":\"x\","
                        + "\"audio_end_ms\":1}",
                "invalid_value|{\"type\":\"conversation.item.truncate\",\"item_id\":\"x\","
                        + "\"content_index\":1,\"audio_end_ms\":1}",
                "response_cancel_not_active|{\"type\":\"response.cancel\"}",
                "invalid_type|{\"type\":\"response.create\",\"response\":5}",
                "invalid_value|{\"type\":\"response.create\",\"response\":"
                        + "{\"conversation\":\"mine\"}}",
                "invalid_value|{\"type\":\"response.create\",\"response\":"
                        + "{\"max_output_tokens\":0}}",
                "invalid_type|{\"type\":\"response.create\",\"response\":{\"input\":{}}}",
                "invalid_type|{\"type\":\"response.create\",\"response\":{\"metadata\":[]}}",
                "unknown_event|{\"type\":\"response.sing\"}",
                "missing_required_parameter|{}",
                "invalid_type|{\"type\":5}",
                "invalid_type|{\"type\":\"response.create\",\"event_id\":5}",
                "invalid_json|[]",
                "invalid_json|null",
                "invalid_json|{\"type\":\"response.create\",\"event_id\":\"\\uD800\"}",
                "invalid_json|{\"type\":\"response.create\"} x",
                "invalid_json|{\"type\":\"a\",\"type\":\"b\"}",
                "invalid_json|{",
            })
    void whatIsWrongIsAnsweredAndTheSessionLives(String code, String event) {
        assertRefused(code, event);
        rig.send("{\"type\":\"session.update\",\"session\":{}}");
        assertThat(rig.said()).startsWith("session.updated");
    }

    @Test
    void onlyOneResponseIsMadeAtATime() {
        rig.send("{\"type\":\"response.create\"}");
        assertRefused(
                "conversation_already_has_active_response",
                "{\"type\":\"response.create\",\"event_id\":\"again\"}");
        assertThat(error(rig).get("event_id").getAsString()).isEqualTo("again");
        rig.send("{\"type\":\"response.cancel\"}");
        rig.said();
        rig.send("{\"type\":\"response.create\"}");
        assertThat(rig.said()).startsWith("response.created");
    }

    @Test
    void clearingWhatDoesNotPlayIsAnsweredAllTheSame() {
        rig.send("{\"type\":\"output_audio_buffer.clear\"}");
        assertThat(rig.said()).containsExactly("output_audio_buffer.cleared");
        assertThat(rig.event("output_audio_buffer.cleared").get("response_id").getAsString())
                .isEmpty();
        assertThat(rig.toldLast).isSameAs(rig.client);
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.done("r1");
        rig.playbackStops("r1", "i1", 900);
        rig.said();
        rig.send("{\"type\":\"output_audio_buffer.clear\"}");
        assertThat(rig.said()).containsExactly("output_audio_buffer.cleared");
        assertThat(rig.event("output_audio_buffer.cleared").get("response_id").getAsString())
                .isEqualTo("r1");
    }

    @Test
    void aClientTruncatesWhatTheCallerHeard() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.playbackStops("r1", "i1", 900);
        rig.done("r1");
        String truncate =
                "{\"type\":\"conversation.item.truncate\",\"item_id\":\"i1\",\"content_index\":0,"
                        + "\"audio_end_ms\":";
        assertRefused("invalid_value", truncate + "901}");
        rig.send(truncate + "400}");
        assertThat(rig.said()).containsExactly("conversation.item.truncated", "up ITEM_TRUNCATED");
    }

    @Test
    void nothingGrowsByBeingTruncatedAgain() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        String truncate =
                "{\"type\":\"conversation.item.truncate\",\"item_id\":\"i1\","
                        + "\"audio_end_ms\":";
        rig.send(truncate + "1000000}");
        rig.cleared("", "r1", "i1", 700);
        assertThat(truncatedAt()).isEqualTo(700);
        rig.send(truncate + "900}");
        assertThat(truncatedAt()).isEqualTo(700);
        rig.send(truncate + "300}");
        assertThat(truncatedAt()).isEqualTo(300);
        rig.said();
        rig.cleared("", "r1", "i1", 700);
        assertThat(rig.said()).containsExactly("up PLAYBACK_CLEARED");
    }

    private long truncatedAt() {
        return rig.event("conversation.item.truncated").get("audio_end_ms").getAsLong();
    }

    @Test
    void aResponseIsAskedForOnceTheLastOneIsOverThatNobodyEnds() {
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.said();
        rig.send("{\"type\":\"response.create\",\"response\":{\"metadata\":{}}}");
        assertThat(rig.said()).isEmpty();
        assertRefused("conversation_already_has_active_response", "{\"type\":\"response.create\"}");
        rig.playbackStops("r1", "i1", 700);
        rig.said();
        rig.pass(500);
        assertThat(rig.said())
                .containsSubsequence("response.done", "response.created", "up RESPONSE_REQUESTED");
        assertThat(rig.up().getResponseRequested().getOptionsJson()).isEqualTo("{\"metadata\":{}}");
        rig.pass(500);
        assertThat(rig.said()).isEmpty();
    }

    @Test
    void aResponseIsAskedForRightBehindTheClearingOfTheLast() {
        rig.starts("r1");
        rig.audio("r1", "i1");
        rig.playbackStarts("r1", "i1");
        rig.send("{\"type\":\"output_audio_buffer.clear\"}");
        rig.send("{\"type\":\"response.create\"}");
        assertThat(rig.said()).doesNotContain("error", "up RESPONSE_REQUESTED");
        rig.cleared("r1", "r1", "i1", 700);
        assertThat(rig.said())
                .containsSubsequence("response.done", "response.created", "up RESPONSE_REQUESTED");
    }

    @Test
    void eventsThatAreTooLongOrTooDeepAreRefused() {
        assertRefused("event_too_large", " ".repeat(Json.MAX_CHARS + 1));
        assertRefused("invalid_json", "{\"a\":".repeat(40) + "1" + "}".repeat(40));
        assertRefused("invalid_json", "{\"a\":" + "9".repeat(100) + "}");
    }

    @Test
    void whatClientsCouldNotBeToldAgainIsRefused() {
        String item =
                "{\"type\":\"conversation.item.create\",\"item\":{\"type\":\"message\","
                        + "\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"%s\"}]}}";
        assertRefused("event_too_large", item.formatted("x".repeat(262_000)));
        assertRefused("event_too_large", item.formatted("\u00fc".repeat(131_000)));
        assertThat(error(rig).get("param").getAsString()).isEqualTo("item");
        rig.send(item.formatted("x".repeat(260_000)));
        assertThat(rig.said())
                .contains("conversation.item.added", "conversation.item.done", "up ITEM_CREATED");
        assertThat(rig.events).allMatch(event -> event.toString().length() <= 262_144);
    }

    @Test
    void aSessionDoesNotGrowWithoutEnd() {
        String half = "x".repeat(Json.MAX_CHARS / 2);
        for (int i = 0; i < 2; i++) {
            rig.send("{\"type\":\"session.update\",\"session\":{\"x" + i + "\":\"" + half + "\"}}");
        }
        assertThat(error(rig).get("code").getAsString()).isEqualTo("event_too_large");
    }

    @Test
    void noBytesEndTheCall() {
        Random random = new Random(7);
        String alphabet = "{}[]\",:ntruefalse0123-.eE\\u session.update typeitem_id\u0000\uD800";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(60);
            for (int k = 0; k < length; k++) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            rig.send(text.toString());
        }
        assertThat(rig.said()).containsOnly("error").hasSize(20_000);
    }

    @Test
    void noFieldOfAnyTypeEndsTheCall() {
        Random random = new Random(8);
        String[] values = {
            "null",
            "1",
            "-1",
            "1e400",
            "\"\"",
            "\"root\"",
            "{}",
            "[]",
            "true",
            "[{}]",
            "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\"}]}",
            "{\"audio\":{\"input\":{\"turn_detection\":{\"type\":\"server_vad\"}}}}"
        };
        String[] names = {
            "session",
            "item",
            "item_id",
            "response",
            "response_id",
            "previous_item_id",
            "audio_end_ms",
            "content_index",
            "event_id",
            "audio"
        };
        for (int i = 0; i < 20_000; i++) {
            ClientEventType type =
                    ClientEventType.values()[random.nextInt(ClientEventType.values().length)];
            String event = "{\"type\":\"" + type.type() + "\"";
            int from = random.nextInt(names.length);
            for (int k = from; k < names.length; k += 1 + random.nextInt(4)) {
                event += ",\"" + names[k] + "\":" + values[random.nextInt(values.length)];
            }
            rig.inputMillis += random.nextInt(100);
            rig.send(event + "}");
        }
        assertThat(rig.said()).isNotEmpty();
    }
}
