package dev.parley.transceiver.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.Mark;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.audio.VoiceEncoder;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.OutputInbox;
import dev.parley.transceiver.media.VoiceOutput;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a backend may have waiting here before nothing more is read from it. */
class OutputIntakeTest {
    private static final InferenceFormat PCM = new InferenceFormat(Encoding.LINEAR16, 24_000);
    private static final int ITEMS = 40;

    private final Backlog backlog = new Backlog(ITEMS * Backlog.MIN_ITEM_SAMPLES);
    private final OutputInbox inbox = new OutputInbox();

    static Stream<ConverseResponse> messagesWithoutAudio() {
        return Stream.of(
                ConverseResponse.newBuilder().setMark(Mark.newBuilder().setName("m")).build(),
                ConverseResponse.newBuilder().setClearAudio(ClearAudio.newBuilder()).build(),
                audio(1));
    }

    private static ConverseResponse audio(int bytes) {
        return ConverseResponse.newBuilder()
                .setOutputAudio(
                        OutputAudio.newBuilder().setAudio(ByteString.copyFrom(new byte[bytes])))
                .build();
    }

    @ParameterizedTest
    @MethodSource("messagesWithoutAudio")
    void stopsReadingMessagesWithoutAudio(ConverseResponse message) {
        OutputIntake intake = new OutputIntake(PCM, inbox, backlog, new AudioCounters());
        int taken = 1;
        while (intake.take(message) && taken < 10 * ITEMS) {
            taken++;
        }
        assertThat(taken).isBetween(ITEMS - 1, ITEMS);
    }

    @Test
    void givesBackWhatShortMessagesWereCharged() {
        VoiceOutput output =
                new VoiceOutput(
                        PCM,
                        () -> new VoiceEncoder(OpusLibrary.best(), PCM, OpusSettings.VOICE),
                        inbox,
                        samples -> assertThat(backlog.remove(samples)).isFalse());
        OutputIntake intake = new OutputIntake(PCM, output, backlog, new AudioCounters());
        try (output) {
            // 48 samples at 48 kHz each: the begun frame of 20 ms holds them all.
            for (int i = 0; i < 10; i++) {
                assertThat(intake.take(audio(48))).isTrue();
            }
            assertThat(backlog.samples()).isEqualTo(10 * Backlog.MIN_ITEM_SAMPLES);
            while (output.runOnce(0)) {}
            assertThat(backlog.samples()).isEqualTo(10 * 48);

            assertThat(intake.take(audio(48))).isTrue();
            assertThat(intake.take(messagesWithoutAudio().skip(1).findFirst().orElseThrow()))
                    .isTrue();
            while (output.runOnce(0)) {}
            // The clear itself is given back by the playout.
            assertThat(backlog.samples()).isEqualTo(Backlog.MIN_ITEM_SAMPLES);
        }
    }
}
