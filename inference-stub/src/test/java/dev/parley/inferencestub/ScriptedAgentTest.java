package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.inferencestub.TestEdge.Call;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.DtmfInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptedAgentTest {
    private static final int RATE = 24_000;

    private final TestEdge edge = new TestEdge();

    @AfterEach
    void closeEdge() {
        edge.close();
    }

    @Test
    void playsTheStepsOfATurnInOrder() {
        Call call =
                play(
                        """
                        {"turns": [{"do": [{"tell": "hello"}, {"tone": "1s"}, {"mark": "m"},
                                           {"event": "{}"}, {"hang_up": "bye"}]}]}""");

        assertThat(call.kinds())
                .containsExactly(
                        "transcript hello", "audio turn-1", "MARK", "SERVER_EVENT", "SESSION_END");
        assertThat(call.audio("turn-1")).hasSize(RATE);
    }

    @Test
    void pausesAndStuttersByTheClock() {
        Call call =
                play(
                        """
                        {"turns": [{"stutter": "300ms",
                                    "do": [{"pause": "500ms"}, {"tone": "500ms"}]}]}""");

        edge.advance(499);
        assertThat(call.kinds()).isEmpty();
        edge.advance(1);
        assertThat(call.audio("turn-1")).hasSize(RATE / 5);
        edge.advance(299);
        assertThat(call.audio("turn-1")).hasSize(RATE / 5);
        edge.advance(1);
        assertThat(call.audio("turn-1")).hasSize(2 * RATE / 5);
        edge.advance(300);
        assertThat(call.audio("turn-1")).hasSize(RATE / 2);
    }

    @Test
    void waitsForWhatStartsATurn() {
        Call call =
                play(
                        """
                        {"turns": [{"when": "event", "matching": "weather", "do": [{"tell": "a"}]},
                                   {"when": "dtmf", "matching": "5", "do": [{"tell": "b"}]},
                                   {"when": "utterance", "do": [{"tone": "100ms"}]},
                                   {"when": "played", "do": [{"tell": "c"}]}]}""");

        call.send(event("the time"));
        assertThat(call.kinds()).isEmpty();
        call.send(event("the weather"));
        assertThat(call.kinds()).containsExactly("transcript a");
        call.send(key("4")).send(key("5"));
        assertThat(call.kinds()).last().isEqualTo("transcript b");
        call.speak(utterance());
        assertThat(call.kinds()).last().isEqualTo("audio turn-3");
        call.sendPlaybackStopped("turn-2");
        assertThat(call.kinds()).last().isEqualTo("audio turn-3");
        call.sendPlaybackStopped("turn-3");
        assertThat(call.kinds()).last().isEqualTo("transcript c");
    }

    @Test
    void speechCutsATurnOffUnlessItSaysOtherwise() {
        Call call =
                play(
                        """
                        {"turns": [{"do": [{"tone": "1s"}, {"pause": "60s"}, {"tell": "never"}]},
                                   {"when": "utterance", "interruptible": false,
                                    "do": [{"tone": "1s"}]}]}""");

        call.speak(utterance());
        assertThat(call.kinds()).containsExactly("audio turn-1", "clear turn-1", "audio turn-2");

        call.speak(utterance());
        assertThat(call.kinds()).last().isEqualTo("audio turn-2");
    }

    @Test
    void speaksWhenTheVoiceIsReady() {
        Call call = play("{\"turns\": [{\"do\": [{\"say\": \"good day\"}, {\"tell\": \"x\"}]}]}");

        assertThat(edge.synthesizer.texts).containsExactly("good day");
        assertThat(call.kinds()).isEmpty();
        edge.synthesizer.finish();
        assertThat(call.kinds())
                .containsExactly("transcript good day", "audio turn-1", "transcript x");
    }

    @Test
    void goesOnWhenTheVoiceFails() {
        Call call = play("{\"turns\": [{\"do\": [{\"say\": \"good day\"}, {\"tell\": \"x\"}]}]}");

        edge.synthesizer.fail();

        assertThat(call.kinds()).containsExactly("ERROR", "transcript x");
    }

    @Test
    void isLateWithItsReady() {
        Call call = play("{\"ready_after\": \"2s\", \"turns\": [{\"do\": [{\"tell\": \"x\"}]}]}");

        edge.advance(1_999);
        assertThat(call.responses).isEmpty();
        edge.advance(1);
        assertThat(call.responses)
                .extracting(ConverseResponse::getMessageCase)
                .hasToString("[SESSION_READY, TRANSCRIPT]");
    }

    @Test
    void doesWhatNoBackendShould() {
        Call call =
                play(
                        """
                        {"turns": [{"do": [{"ready_again": 1}, {"half_sample": 1}, {"huge": 5000},
                                           {"clear": 1}, {"pause": "50ms"}, {"fail": "internal"},
                                           {"tell": "x"}]}]}""");
        edge.advance(50);

        assertThat(call.kinds()).containsExactly("audio turn-1", "audio huge", "clear ");
        assertThat(call.status()).isEqualTo("INTERNAL");
        assertThat(call.responses).filteredOn(ConverseResponse::hasSessionReady).hasSize(2);
    }

    @Test
    void stopsReadingForAWhile() {
        Call call =
                play(
                        """
                        {"turns": [{"do": [{"stop_reading": "1s"}]},
                                   {"when": "event", "matching": "99", "do": [{"tell": "x"}]}]}""");

        for (int i = 0; i < 100; i++) {
            call.send(event("number " + i));
        }
        assertThat(call.kinds()).isEmpty();
        edge.advance(1_000);
        assertThat(call.kinds()).containsExactly("transcript x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"turns\": 1} | script.turns: must be a list of turns",
                "{\"turn\": []} | script.turn: is unknown; known are [ready_after, turns]",
                "{\"turns\": [{\"do\": [{\"sing\": \"x\"}]}]} | script.turns.0.do.0.sing: is no step;"
                        + " steps are call, clear, event, fail, half_sample, hang_up, huge, mark, pause,"
                        + " ready_again, say, stop_reading, tell, tone",
                "{\"turns\": [{\"do\": [{\"tone\": \"x\"}]}]} | script.turns.0.do.0.tone: must be a"
                        + " duration such as 300ms or 2s, not \"x\"",
                "{\"turns\": [{\"when\": \"now and then\", \"do\": []}]} | script.turns.0.when: cannot be"
                        + " \"now and then\"; use now, speech, utterance, event, request, dtmf, played",
                "{\"turns\": [{\"do\": [{\"call\": \"x\"}]}]} | script.turns.0.do.0.call: must be a"
                        + " tool and its arguments, as in weather {\"city\": \"Bonn\"}, not \"x\"",
                "{\"turns\": [{\"do\": [\"say\"]}]} | script.turns.0.do.0: must be one step with its"
                        + " value, as in \"say: hello\"",
                "{\"turns\": [{\"do\": [{\"fail\": \"x\"}]}]} | script.turns.0.do.0.fail: must be a gRPC"
                        + " status code such as unavailable, not \"x\"",
                "{\"turns\": [{\"do\": [{\"huge\": \"-1\"}]}]} | script.turns.0.do.0.huge: must be a"
                        + " number of bytes, not \"-1\"",
            })
    void namesThePlaceThatIsWrong(String script, String message) {
        assertThat(play(script).status()).isEqualTo("INVALID_ARGUMENT: " + message);
    }

    @Test
    void refusesAScriptThatSpeaksWhereNothingCan() {
        edge.synthesizer.installed = false;

        assertThat(play("{\"turns\": [{\"do\": [{\"say\": \"x\"}]}]}").status())
                .isEqualTo(
                        "NOT_FOUND: model \"scripted\" speaks through espeak-ng, which is not"
                                + " installed");
        assertThat(play("{\"turns\": []}").status()).isEqualTo("open");
    }

    @Test
    void playsTheGreetingUnlessToldOtherwise() {
        assertThat(edge.start("scripted").kinds())
                .containsExactly(
                        "transcript Hello. Say something, please.", "audio turn-1", "MARK");
    }

    private Call play(String script) {
        return edge.open()
                .send(
                        TestEdge.START
                                .clone()
                                .setModel("scripted")
                                .setSessionJson("{\"script\": " + script + "}"));
    }

    private static ConverseRequest event(String text) {
        return ConverseRequest.newBuilder()
                .setClientEvent(ClientEvent.newBuilder().setText(text))
                .build();
    }

    private static ConverseRequest key(String digit) {
        return ConverseRequest.newBuilder()
                .setDtmfInput(DtmfInput.newBuilder().setDigit(digit))
                .build();
    }

    private static short[] utterance() {
        return new SyntheticSpeech(RATE, 2).noise(0, 2, -60, 1).speech(0.3, 1, -20).samples();
    }
}
