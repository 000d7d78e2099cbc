package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.inferencestub.TestEdge.Call;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.SpeechStarted;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParrotAgentTest {
    private static final int RATE = 24_000;

    private final TestEdge edge = new TestEdge();

    @AfterEach
    void closeEdge() {
        edge.close();
    }

    @ParameterizedTest
    @CsvSource({"-20, -70", "-20, -50", "-35, -60", "-12, -38"})
    void saysBackWhatItHeardFromFirstToLastSyllable(double speechDbfs, double noiseDbfs) {
        SyntheticSpeech sound =
                new SyntheticSpeech(RATE, 4).noise(0, 4, noiseDbfs, 1).speech(1, 2.5, speechDbfs);
        short[] heard = sound.samples();

        Call call = edge.start("parrot").speak(heard);

        assertThat(call.kinds()).hasSize(2).last().isEqualTo("audio parrot-1");
        short[] said = call.audio("parrot-1");
        int from = SyntheticSpeech.find(said, heard);
        assertThat(from).isBetween(sound.at(0.6), sound.at(0.9));
        assertThat(from + said.length).isBetween(sound.at(2.42), sound.at(2.8));
    }

    @Test
    void tellsHowMuchItHeard() {
        Call call = edge.start("parrot").speak(utterance(1, 3, 4));

        assertThat(call.kinds()).first().asString().matches("transcript \\(heard 2\\.[0-4] s\\)");
    }

    @Test
    void hearsSpeechThatBeginsWithTheCall() {
        short[] heard = utterance(0, 1, 2);

        Call call = edge.start("parrot").speak(heard);

        assertThat(SyntheticSpeech.find(call.audio("parrot-1"), heard)).isBetween(0, RATE / 4);
    }

    @Test
    void answersEachOfTwoUtterances() {
        Call call =
                edge.start("parrot")
                        .speak(utterance(0.5, 1.5, 2.5))
                        .sendPlaybackStopped("parrot-1")
                        .speak(utterance(0.5, 1.5, 2.5));

        assertThat(call.kinds())
                .filteredOn(kind -> !kind.startsWith("transcript"))
                .containsExactly("audio parrot-1", "audio parrot-2");
    }

    @Test
    void isInterruptedBySpeech() {
        Call call = edge.start("parrot").speak(utterance(0.5, 1.5, 2.5));
        int before = call.responses.size();

        call.speak(utterance(0, 0.2, 0.2));

        assertThat(call.responses.subList(before, call.responses.size()))
                .singleElement()
                .satisfies(
                        response ->
                                assertThat(response.getClearAudio().getResponseId())
                                        .isEqualTo("parrot-1"));
    }

    @Test
    void isInterruptedByTheEdgesDetector() {
        Call call = edge.start("parrot").speak(utterance(0.5, 1.5, 2.5));

        call.send(
                ConverseRequest.newBuilder()
                        .setSpeechStarted(SpeechStarted.getDefaultInstance())
                        .build());

        assertThat(call.kinds()).last().isEqualTo("clear parrot-1");
    }

    @Test
    void forgetsWhatAnInterruptedEdgeHadNotTakenYet() {
        // SessionReady, the transcript and two pieces of the answer.
        Call call = edge.open(4).start("parrot", Map.of()).speak(utterance(0.5, 2.5, 3.5));
        call.speak(utterance(0, 0.2, 0.2));
        call.take(1_000);
        edge.advance(50);

        assertThat(call.kinds()).last().isEqualTo("clear parrot-1");
        assertThat(call.audio("parrot-1")).hasSize(2 * RATE / 10);
    }

    @Test
    void sendsTheRestWhenTheEdgeTakesMore() {
        short[] heard = utterance(0.5, 2.5, 3.5);
        Call call = edge.open(4).start("parrot", Map.of()).speak(heard);

        call.take(1_000);

        short[] said = call.audio("parrot-1");
        assertThat(said).hasSizeGreaterThan(2 * RATE);
        assertThat(SyntheticSpeech.find(said, heard)).isNotNegative();
    }

    @Test
    void answersEndlessSpeechAtTheLongestUtterance() {
        short[] endless = new SyntheticSpeech(RATE, 16).speech(0, 16, -20).samples();

        Call call = edge.start("parrot").speak(endless);

        assertThat(call.audio("parrot-1")).hasSize(15 * RATE);
    }

    @Test
    void isNotInterruptedByTheSameEndlessSpeech() {
        short[] hum = new short[16 * RATE];
        for (int i = 0; i < hum.length; i++) {
            hum[i] = (short) (8_000 * Math.sin(i * 0.05));
        }
        try (TestEdge quick = new TestEdge(Map.of("max_utterance", "2s"), new StubObserver() {})) {
            Call call = quick.start("parrot").speak(hum);

            assertThat(call.kinds()).hasSize(2).last().isEqualTo("audio parrot-1");
        }
    }

    @Test
    void getsUsedToNoise() {
        SyntheticSpeech sound =
                new SyntheticSpeech(RATE, 20).noise(0, 20, -60, 1).noise(3, 20, -38, 2);

        Call call = edge.start("parrot").speak(sound.samples());
        call.speak(
                new SyntheticSpeech(RATE, 3).noise(0, 3, -38, 3).speech(0.5, 1.5, -12).samples());

        // The fan that was switched on is taken for speech once, a voice over it still is heard.
        assertThat(call.kinds())
                .filteredOn(kind -> kind.startsWith("audio"))
                .containsExactly("audio parrot-1", "audio parrot-2");
    }

    @Test
    void keepsSilentInARoomWhereNobodySpeaks() {
        short[] room = new SyntheticSpeech(RATE, 30).noise(0, 30, -45, 5).samples();

        assertThat(edge.start("parrot").speak(room).kinds()).isEmpty();
    }

    @Test
    void isNotWokenByAMicrophoneThatIsUnmuted() {
        SyntheticSpeech room =
                new SyntheticSpeech(RATE, 18).noise(0, 4, -48, 5).noise(10, 18, -48, 6);

        assertThat(edge.start("parrot").speak(room.samples()).kinds()).isEmpty();
    }

    @Test
    void ignoresAClick() {
        short[] heard = new SyntheticSpeech(RATE, 4).noise(0, 4, -60, 1).samples();
        for (int i = RATE; i < RATE + 480; i++) {
            heard[i] = 20_000;
        }

        assertThat(edge.start("parrot").speak(heard).kinds()).isEmpty();
    }

    @Test
    void isNotInterruptedByAClick() {
        Call call = edge.start("parrot").speak(utterance(0.5, 1.5, 2.5));
        short[] click = new short[RATE];
        Arrays.fill(click, 9_600, 10_080, (short) 20_000);

        assertThat(call.speak(click).kinds()).last().isEqualTo("audio parrot-1");
    }

    @Test
    void ignoresADoor() {
        SyntheticSpeech sound = new SyntheticSpeech(RATE, 4).noise(0, 4, -60, 1);
        short[] heard = sound.noise(1, 1.08, -20, 4).samples();

        assertThat(edge.start("parrot").speak(heard).kinds()).isEmpty();
    }

    @Test
    void takesAGapInTheOffsetsForSilence() {
        Call call = edge.start("parrot").speak(utterance(0.5, 1.5, 1.5));
        assertThat(call.kinds()).isEmpty();

        call.skip(WireFormat.LINEAR16_24K, 400).speak(new short[480]);
        assertThat(call.kinds()).isEmpty();

        call.skip(WireFormat.LINEAR16_24K, 400).speak(new short[480]);
        assertThat(call.kinds()).last().isEqualTo("audio parrot-1");
    }

    @Test
    void answersWhenTheCallersSideFallsSilentForGood() {
        Call call = edge.start("parrot").speak(utterance(0.5, 1.5, 1.5));

        edge.advance(600);
        assertThat(call.kinds()).isEmpty();

        edge.advance(50);
        assertThat(call.kinds()).last().isEqualTo("audio parrot-1");
    }

    @ParameterizedTest
    @ValueSource(ints = {37, 240, 1_440})
    void hearsTheSameWhateverTheMessagesAreCutInto(int samplesPerMessage) {
        short[] heard = utterance(0.5, 1.5, 2.5);
        short[] said = edge.start("parrot").speak(heard).audio("parrot-1");

        Call call = edge.start("parrot").speak(WireFormat.LINEAR16_24K, heard, samplesPerMessage);

        assertThat(call.audio("parrot-1")).isEqualTo(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mulaw", "alaw", "linear16/8000", "linear16/16000", "linear16/48000"})
    void worksInEachPcmFormat(String name) throws Refusal {
        WireFormat format = WireFormat.named(name);
        int rate = format.sampleRateHz();
        short[] heard =
                new SyntheticSpeech(rate, 3).noise(0, 3, -60, 1).speech(0.5, 1.5, -15).samples();
        Call call =
                edge.open()
                        .send(
                                TestEdge.START
                                        .clone()
                                        .setModel("parrot")
                                        .addInputFormats(format.toProto())
                                        .addOutputFormats(format.toProto())
                                        .putAttributes("format", name))
                        .speak(format, heard, rate / 50);

        short[] coded = format.decode(format.encode(heard));
        short[] said = call.audio("parrot-1", format);
        assertThat(said).hasSizeGreaterThan(rate);
        assertThat(SyntheticSpeech.find(said, coded)).isNotNegative();
    }

    private static short[] utterance(double from, double to, double length) {
        return new SyntheticSpeech(RATE, length)
                .noise(0, length, -60, 1)
                .speech(from, to, -20)
                .samples();
    }
}
