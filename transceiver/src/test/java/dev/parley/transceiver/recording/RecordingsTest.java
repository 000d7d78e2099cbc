package dev.parley.transceiver.recording;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.Transcript;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.recording.RecordingSettings.Choice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingsTest {
    private static final byte[] PACKET = {(byte) 0xF8, 1, 2};
    private static final long MILLI = 1_000_000;

    @TempDir private Path folder;

    private final AtomicLong now = new AtomicLong(5 * MILLI);
    private final RecordingCounters counters = new RecordingCounters();

    private Recordings recordings(Choice choice, long maxBytes) {
        return new Recordings(
                new RecordingSettings(folder, choice, maxBytes),
                counters,
                now::get,
                InstantSource.fixed(Instant.parse("2026-11-30T12:00:00Z")));
    }

    private static CallTape tape(Recordings recordings, String id) {
        return recordings.tape(
                SessionStart.newBuilder().setSessionId(id).setModel("m").build(),
                SessionReady.getDefaultInstance());
    }

    private static InputPacket packet(long at, int lost) {
        return InputPacket.again(PACKET, at, 960, lost, 0x80 | 30, 1);
    }

    private static ConverseResponse said(String text) {
        return ConverseResponse.newBuilder()
                .setTranscript(Transcript.newBuilder().setText(text))
                .build();
    }

    private List<JsonNode> lines(String id) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve(id + ".jsonl"))) {
            lines.add(mapper.readTree(line));
        }
        return lines;
    }

    private static JsonNode only(List<JsonNode> lines, String kind) {
        List<JsonNode> found = lines.stream().filter(line -> line.has(kind)).toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void writesEverythingWithItsTime() throws IOException {
        Recordings recordings = recordings(Choice.ALL, 1 << 20);
        CallTape tape = tape(recordings, "a");
        tape.codec(ClientCodec.OPUS);
        now.addAndGet(20 * MILLI);
        tape.input(packet(0, 0));
        now.addAndGet(4_000 * MILLI + 250_000);
        tape.input(packet(192_000, 960));
        tape.key('5', 120);
        tape.output(PACKET, 960, 960);
        tape.fromInference(said("\"hello\"\n"));
        tape.fromInference(
                ConverseResponse.newBuilder()
                        .setOutputAudio(
                                OutputAudio.newBuilder()
                                        .setResponseId("r")
                                        .setAudio(ByteString.copyFrom(new byte[1_000])))
                        .build());
        tape.note("it \"broke\"\n");
        tape.end();
        recordings.runOnce();

        List<JsonNode> lines = lines("a");
        assertThat(only(lines, "recording").path("recording").path("time").asText())
                .isEqualTo("2026-11-30T12:00:00Z");
        assertThat(only(lines, "edge").findPath("session_id").asText()).isEqualTo("a");
        List<JsonNode> heard = lines.stream().filter(line -> line.has("input")).toList();
        assertThat(heard.getFirst().path("ms").asDouble()).isEqualTo(20);
        assertThat(heard.getLast().path("ms").asDouble()).isEqualTo(4_020.25);
        assertThat(heard.getLast().path("input").path("at").asLong()).isEqualTo(192_000);
        assertThat(heard.getLast().path("input").path("lost").asInt()).isEqualTo(960);
        assertThat(only(lines, "key").path("key").path("digit").asText()).isEqualTo("5");
        assertThat(only(lines, "output").path("output").path("at").asLong()).isEqualTo(960);
        assertThat(only(lines, "note").path("note").asText()).isEqualTo("it \"broke\"\n");
        assertThat(lines.toString()).contains("\\\"hello\\\"\\n").doesNotContain("AAAAAAAA");
        assertThat(lines.getLast().has("end")).isTrue();
        assertThat(folder.resolve("a.input.opus")).exists();
        assertThat(folder.resolve("a.output.opus")).exists();
        assertThat(counters.count(RecordingEvent.FINISHED)).isEqualTo(1);
    }

    @Test
    void recordsOnlyCallsWhoseBackendAsksUnlessAllAreWanted() {
        Recordings recordings = recordings(Choice.ASKED, 1 << 20);
        SessionStart start = SessionStart.newBuilder().setSessionId("b").build();
        assertThat(recordings.tape(start, SessionReady.getDefaultInstance()).runs()).isFalse();
        assertThat(recordings.tape(start, SessionReady.newBuilder().setRecord(true).build()).runs())
                .isTrue();
    }

    @Test
    void leavesOutWhatTheDiskIsTooSlowFor() throws IOException {
        Recordings recordings = recordings(Choice.ALL, 1 << 30);
        CallTape tape = tape(recordings, "c");
        ConverseResponse big =
                ConverseResponse.newBuilder()
                        .setServerEvent(
                                ServerEvent.newBuilder()
                                        .setBinary(ByteString.copyFrom(new byte[1 << 20])))
                        .build();
        for (int i = 0; i < 40; i++) {
            tape.fromInference(big);
        }
        assertThat(counters.count(RecordingEvent.LEFT_OUT)).isBetween(8L, 12L);
        recordings.runOnce();
        tape.fromInference(said("it goes on"));
        tape.end();
        recordings.runOnce();
        List<JsonNode> lines = lines("c");
        assertThat(only(lines, "left_out").path("left_out").asLong())
                .isEqualTo(counters.count(RecordingEvent.LEFT_OUT));
        assertThat(lines.toString()).contains("it goes on");
    }

    @Test
    void recordsNothingMoreIntoAFullFolderUntilThereIsRoom() throws IOException {
        Recordings recordings = recordings(Choice.ALL, 1 << 20);
        CallTape tape = tape(recordings, "d");
        for (int i = 0; i < 3; i++) {
            tape.fromInference(said("x".repeat(500_000)));
        }
        recordings.runOnce();
        assertThat(lines("d").getLast().path("broken_off").asText())
                .isEqualTo("the folder of recordings is full");
        assertThat(counters.count(RecordingEvent.FULL)).isEqualTo(1);
        assertThat(tape(recordings, "e").runs()).isFalse();
        tape.fromInference(said("nobody keeps this"));
        tape.end();
        recordings.runOnce();
        assertThat(Files.size(folder.resolve("d.jsonl"))).isLessThan(2 << 20);

        Files.delete(folder.resolve("d.jsonl"));
        now.addAndGet(10_000 * MILLI);
        recordings.runOnce();
        assertThat(tape(recordings, "f").runs()).isTrue();
    }

    @Test
    void endsOnlyTheRecordingWhoseFilesCannotBeWritten() throws IOException {
        Recordings recordings = recordings(Choice.ALL, 1 << 20);
        Files.createFile(folder.resolve("g.jsonl"));
        CallTape lost = tape(recordings, "g");
        CallTape kept = tape(recordings, "h");
        recordings.runOnce();
        lost.note("not kept");
        kept.end();
        recordings.runOnce();
        assertThat(counters.count(RecordingEvent.FAILED)).isEqualTo(1);
        assertThat(lines("h").getLast().has("end")).isTrue();
    }

    @Test
    void countsTheSilenceThatItWrites() throws IOException {
        Recordings recordings = recordings(Choice.ALL, 400_000);
        CallTape tape = tape(recordings, "j");
        tape.codec(ClientCodec.PCMU);
        tape.input(InputPacket.again(new byte[160], 0, 960, 0, -1, -1));
        recordings.runOnce();
        assertThat(tape(recordings, "k").runs()).isTrue();
        // A minute of G.711 later.
        tape.input(InputPacket.again(new byte[160], 60 * 48_000, 960, 0, -1, -1));
        recordings.runOnce();
        assertThat(tape(recordings, "l").runs()).isFalse();
        assertThat(lines("j").getLast().has("broken_off")).isTrue();
    }

    @Test
    void aRecordingThatCannotBeNamedHarmsNoOther() throws IOException {
        Recordings recordings = recordings(Choice.ALL, 1 << 20);
        CallTape lost = tape(recordings, "no\0file");
        CallTape kept = tape(recordings, "m");
        lost.note("not kept");
        kept.end();
        recordings.runOnce();
        assertThat(counters.count(RecordingEvent.FAILED)).isEqualTo(1);
        assertThat(lines("m").getLast().has("end")).isTrue();
    }

    @Test
    void finishesWhatIsOpenWhenTheProcessStops() throws IOException {
        Recordings recordings =
                Recordings.start(
                        new RecordingSettings(folder, Choice.ALL, 1 << 20),
                        counters,
                        System::nanoTime,
                        InstantSource.system());
        CallTape tape = tape(recordings, "i");
        tape.note("so far");
        recordings.close();
        assertThat(lines("i").getLast().path("broken_off").asText()).isEqualTo("the process stops");
    }
}
