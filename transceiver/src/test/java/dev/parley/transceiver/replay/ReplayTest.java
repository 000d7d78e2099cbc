package dev.parley.transceiver.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.runtime.config.HostPort;
import dev.parley.transceiver.inference.TlsSettings;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.recording.RecordingCounters;
import dev.parley.transceiver.recording.RecordingSettings;
import dev.parley.transceiver.recording.RecordingSettings.Choice;
import dev.parley.transceiver.recording.Recordings;
import dev.parley.transceiver.replay.RecordedCall.Heard;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call is recorded off the network, and another backend takes it again. */
class ReplayTest {
    private static final Rig.Place PLACE = new Rig.Place(Address.ipv4(1, 50_001), true);
    private static final int PAUSE_SAMPLES = 24_000;

    @TempDir private Path folder;

    private final StringBuilder printed = new StringBuilder();

    /** What the backend of the recorded call was sent. */
    private List<InputAudio> record() {
        AtomicLong now = new AtomicLong(1_000_000_000_000L);
        Recordings recordings =
                Recordings.start(
                        new RecordingSettings(folder, Choice.ALL, 1 << 24),
                        new RecordingCounters(),
                        now::get,
                        InstantSource.system());
        FakeVoiceAgent agent = new FakeVoiceAgent(FakeVoiceAgent.opus(), true);
        try (recordings;
                Rig rig = Rig.recording(agent, recordings)) {
            Peer peer = rig.client("actpass", PLACE);
            CreateSessionResponse created = rig.connect(peer);
            FakeVoiceAgent.Call call = agent.awaitCall();
            for (int i = 0; i < 50; i++) {
                rig.advance(i == 25 ? 500 : 20);
                now.set(rig.now());
                int pause = i < 25 ? 0 : PAUSE_SAMPLES;
                peer.sendOpus(i, i * 960 + pause, (byte) 0xF8, (byte) i, (byte) 7);
                rig.run();
            }
            rig.advanceUntil(() -> audio(call).size() == 50);
            rig.advanceUntil(() -> peer.speech().size() == 50);
            List<InputAudio> heard = audio(call);
            rig.close(created);
            return heard;
        }
    }

    private static List<InputAudio> audio(FakeVoiceAgent.Call call) {
        return call.received().stream()
                .filter(ConverseRequest::hasInputAudio)
                .map(ConverseRequest::getInputAudio)
                .toList();
    }

    private Path recording() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private boolean replay(Path file, FakeVoiceAgent to, @Nullable Path save) throws Exception {
        ReplaySettings settings =
                new ReplaySettings(HostPort.parse(to.target()), "", 10, save, TlsSettings.OFF);
        try (Replay replay =
                new Replay(
                        RecordingReader.read(file),
                        settings,
                        line -> printed.append(line).append('\n'))) {
            return replay.run();
        }
    }

    private String printed() {
        return printed.toString();
    }

    @Test
    void anotherBackendHearsWhatTheFirstOneHeard() throws Exception {
        List<InputAudio> first = record();
        Path save = folder.resolve("answers.opus");
        try (FakeVoiceAgent agent = new FakeVoiceAgent(FakeVoiceAgent.opus(), true)) {
            assertThat(replay(recording(), agent, save)).isTrue();
            FakeVoiceAgent.Call call = agent.awaitCall();
            assertThat(call.start().getModel()).isEqualTo("model");
            assertThat(call.start().getAttributesOrThrow("replay_of")).hasSize(32);
            assertThat(audio(call)).isEqualTo(first);
            assertThat(call.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason())
                    .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
        }
        List<byte[]> said =
                OggFile.packets(save).stream().filter(packet -> packet.length == 3).toList();
        assertThat(said).hasSize(50);
        assertThat(printed())
                .contains("accepted")
                .contains("its first audio has come")
                .contains("50 messages, 150 bytes; 1.0 s were heard");
    }

    @Test
    void keepsTheCallersClockThroughAPause() throws Exception {
        List<InputAudio> first = record();
        assertThat(first.get(25).getAudioOffsetMs()).isEqualTo(25 * 20 + 500);
        RecordedCall call = RecordingReader.read(recording());
        List<Heard> heard = new ArrayList<>();
        call.moments().forEach(moment -> heard.add((Heard) moment));
        assertThat(heard).hasSize(50);
        assertThat(heard.get(25).packet().offsetSamples()).isEqualTo(25 * 960 + PAUSE_SAMPLES);
        assertThat(heard.get(25).atNanos() - heard.get(24).atNanos()).isEqualTo(500_000_000L);
        // In the file silence stands for the pause.
        Path input =
                recording()
                        .resolveSibling(
                                recording()
                                        .getFileName()
                                        .toString()
                                        .replace("jsonl", "input.opus"));
        RecordedCall alone = RecordingReader.read(input);
        assertThat(((Heard) alone.moments().get(25)).packet().offsetSamples())
                .isEqualTo(25 * 960 + PAUSE_SAMPLES);
    }

    @Test
    void aBackendMayChooseAnotherFormatThanTheFirstOne() throws Exception {
        record();
        try (FakeVoiceAgent agent =
                new FakeVoiceAgent(
                        FakeVoiceAgent.accepting(
                                AudioEncoding.AUDIO_ENCODING_LINEAR16,
                                AudioEncoding.AUDIO_ENCODING_LINEAR16),
                        true)) {
            assertThat(replay(recording(), agent, null)).isTrue();
            FakeVoiceAgent.Call call = agent.awaitCall();
            assertThat(audio(call).getFirst().getNumSamples()).isEqualTo(480);
        }
    }

    @Test
    void tellsWhyABackendDoesNotTakeIt() throws Exception {
        record();
        try (FakeVoiceAgent agent =
                new FakeVoiceAgent(_ -> Status.NOT_FOUND.withDescription("no such model"), false)) {
            assertThat(replay(recording(), agent, null)).isFalse();
        }
        assertThat(printed()).contains("it refused the call: NOT_FOUND: no such model");
    }
}
