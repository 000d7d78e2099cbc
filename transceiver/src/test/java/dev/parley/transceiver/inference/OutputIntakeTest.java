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
import dev.parley.transceiver.media.AudioDrop;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.OutputInbox;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputItem.Frame;
import dev.parley.transceiver.media.OutputMemory;
import dev.parley.transceiver.media.OutputTarget;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.VoiceOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a backend may have waiting here before nothing more is read from it. */
class OutputIntakeTest {
    private static final InferenceFormat PCM = new InferenceFormat(Encoding.LINEAR16, 24_000);
    private static final InferenceFormat OPUS = new InferenceFormat(Encoding.OPUS, 48_000);
    private static final int ITEMS = 40;

    private static final OutputIntake.Events NO_CLIENTS =
            new OutputIntake.Events() {
                @Override
                public boolean fromInference(ConverseResponse message) {
                    return true;
                }

                @Override
                public void audioOf(PlayedItem item) {}
            };

    private final OutputMemory memory = new OutputMemory(1 << 20, 1 << 20);
    private final PlaybackReports.Awaited awaited = new PlaybackReports.Awaited();
    private final Backlog backlog = new Backlog(ITEMS * Backlog.MIN_ITEM_SAMPLES, memory);
    private final OutputInbox inbox = new OutputInbox(() -> {});
    private final Breaches breaches = new Breaches("", _ -> {}, () -> 0);
    private final ReadPace pace = new ReadPace(() -> 0);
    private final AudioCounters counters = new AudioCounters();

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
        OutputIntake intake = intake(PCM, inbox);
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
                        20,
                        () -> new VoiceEncoder(OpusLibrary.best(), PCM, OpusSettings.VOICE),
                        inbox,
                        (samples, bytes) -> assertThat(backlog.remove(samples, bytes)).isFalse());
        OutputIntake intake = intake(PCM, output);
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
            assertThat(memory.bytes()).isEqualTo(Backlog.chargeName(""));
        }
    }

    @Test
    void stopsReadingMarksWhenTheirNamesTakeTheMemoryThatThereIs() {
        Backlog wide = new Backlog(Long.MAX_VALUE, new OutputMemory(64 << 20, 8 << 20));
        OutputIntake intake = intake(OPUS, inbox, wide);
        ConverseResponse mark =
                ConverseResponse.newBuilder()
                        .setMark(Mark.newBuilder().setName("m".repeat(1_024)))
                        .build();
        int taken = 1;
        while (intake.take(mark) && taken < 10_000) {
            taken++;
        }
        assertThat(taken).isBetween(3_000, 5_000);

        // Each that is reached makes room for another one.
        PlaybackReports reports =
                new PlaybackReports(
                        _ -> {},
                        awaited,
                        bytes -> assertThat(wide.remove(0, bytes)).isTrue(),
                        _ -> {});
        reports.marked((OutputItem.Mark) Objects.requireNonNull(inbox.poll()));
    }

    @Test
    void readsSlowlyWhatComesToNothing() {
        OutputIntake intake = intake(OPUS, inbox);
        int taken = 0;
        while (pace.waitNanos() == 0 && taken < 10_000) {
            assertThat(intake.take(ConverseResponse.getDefaultInstance())).isTrue();
            taken++;
        }
        assertThat(taken).isBetween(400, 600);
    }

    @Test
    void readsTheRestOfALongAnswerThatWasClearedAtOnce() {
        OutputIntake intake = intake(PCM, inbox);
        intake.clear("r");
        ConverseResponse rest =
                ConverseResponse.newBuilder()
                        .setOutputAudio(
                                OutputAudio.newBuilder()
                                        .setResponseId("r")
                                        .setAudio(ByteString.copyFrom(new byte[960])))
                        .build();
        // Two minutes at 24 kHz.
        for (int i = 0; i < 6_000; i++) {
            assertThat(intake.take(rest)).isTrue();
        }
        assertThat(pace.waitNanos()).isZero();
    }

    private OutputIntake intake(InferenceFormat format, OutputTarget target) {
        return intake(format, target, backlog);
    }

    private OutputIntake intake(InferenceFormat format, OutputTarget target, Backlog to) {
        return new OutputIntake(
                format, 20, target, to, awaited, NO_CLIENTS, counters, breaches, pace, () -> 0);
    }

    private static ConverseResponse opus(String responseId) {
        return ConverseResponse.newBuilder()
                .setOutputAudio(
                        OutputAudio.newBuilder()
                                .setResponseId(responseId)
                                .setAudio(ByteString.copyFrom(new byte[] {(byte) 0xF8, 1, 2})))
                .build();
    }

    private static ConverseResponse clear(String responseId) {
        return ConverseResponse.newBuilder()
                .setClearAudio(ClearAudio.newBuilder().setResponseId(responseId))
                .build();
    }

    @Test
    void cutsTheNamedResponseBeforeItsClearHasGoneAnyWay() {
        OutputIntake intake = intake(OPUS, inbox);
        assertThat(intake.take(opus("r1")) && intake.take(opus("r2"))).isTrue();
        var _ = intake.take(clear("r1"));
        var _ = intake.take(opus("r1"));
        var _ = intake.take(opus("r2"));
        assertThat(frames()).extracting(f -> f.item().isCut()).containsExactly(true, false, false);
        assertThat(counters.count(AudioDrop.OUTPUT_CLEARED)).isEqualTo(1);
    }

    @Test
    void cutsEverythingSaidSoFarAndNothingAfter() {
        OutputIntake intake = intake(OPUS, inbox);
        assertThat(intake.take(opus("")) && intake.take(opus("r1"))).isTrue();
        var _ = intake.take(clear(""));
        var _ = intake.take(opus("r1"));
        var _ = intake.take(opus(""));
        List<Frame> frames = frames();
        assertThat(frames)
                .extracting(f -> f.item().isCut())
                .containsExactly(true, true, false, false);
        assertThat(frames.get(2).item()).isNotSameAs(frames.get(1).item());
    }

    private static ConverseResponse fade(int millis) {
        return ConverseResponse.newBuilder()
                .setClearAudio(ClearAudio.newBuilder().setFadeMs(millis))
                .build();
    }

    @Test
    void hasPcmFadeForAtMost40Millis() {
        OutputIntake intake = intake(PCM, inbox);
        var _ = intake.take(fade(0));
        var _ = intake.take(fade(25));
        var _ = intake.take(fade(-1));
        assertThat(clears()).extracting(OutputItem.Clear::fadeMillis).containsExactly(0, 25, 40);
    }

    @Test
    void fadesNoOpus() {
        var _ = intake(OPUS, inbox).take(fade(25));
        assertThat(clears()).extracting(OutputItem.Clear::fadeMillis).containsExactly(0);
    }

    private List<OutputItem.Clear> clears() {
        List<OutputItem.Clear> clears = new ArrayList<>();
        for (OutputItem item = inbox.poll(); item != null; item = inbox.poll()) {
            clears.add((OutputItem.Clear) item);
        }
        return clears;
    }

    @Test
    void refusesNamesThatAreTooLongToKeep() {
        OutputIntake intake = intake(OPUS, inbox);
        String name = "n".repeat(OutputIntake.MAX_NAME_LENGTH + 1);
        var _ = intake.take(opus(name));
        var _ = intake.take(clear(name));
        var _ =
                intake.take(
                        ConverseResponse.newBuilder()
                                .setMark(Mark.newBuilder().setName(name))
                                .build());
        assertThat(inbox.poll()).isNull();
        assertThat(awaited.marks()).isEmpty();
        assertThat(counters.count(AudioDrop.OUTPUT_INVALID)).isEqualTo(3);
    }

    private List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        for (OutputItem item = inbox.poll(); item != null; item = inbox.poll()) {
            if (item instanceof Frame frame) {
                frames.add(frame);
            }
        }
        return frames;
    }
}
