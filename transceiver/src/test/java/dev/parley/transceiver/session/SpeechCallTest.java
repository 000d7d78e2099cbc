package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SpeechDetection;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import dev.parley.transceiver.speech.CallerVoice;
import io.grpc.StatusRuntimeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls whose inference asks to be told when speech starts and stops. */
class SpeechCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final int RATE_HZ = 16_000;

    /** The caller's voice as a client would send it; no more packets than may wait at once. */
    private static final List<byte[]> VOICE = coded(Arrays.copyOf(CallerVoice.samples(), 19_200));

    private static List<byte[]> coded(short[] pcm) {
        List<byte[]> packets = new ArrayList<>();
        ByteBuffer packet = ByteBuffer.allocate(OpusDecoder.MAX_PACKET_BYTES);
        int frame = RATE_HZ / 50;
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(RATE_HZ)) {
            for (int at = 0; at + frame <= pcm.length; at += frame) {
                int length = encoder.encode(pcm, at, frame, packet, 0, packet.capacity());
                packets.add(Arrays.copyOf(packet.array(), length));
            }
        }
        return packets;
    }

    private static Rig rig(AudioEncoding input, int rateHz, SpeechDetection detection) {
        AudioFormat format =
                AudioFormat.newBuilder().setEncoding(input).setSampleRateHz(rateHz).build();
        SessionReady ready =
                SessionReady.newBuilder()
                        .setInputFormat(format)
                        .setOutputFormat(format)
                        .setSpeechDetection(detection)
                        .build();
        return new Rig(new FakeVoiceAgent(_ -> ready, false), Rig.LIMITS, 30_000);
    }

    private static void speak(Rig rig, Peer peer) {
        for (int i = 0; i < VOICE.size(); i++) {
            peer.sendOpus(i, i * 960, VOICE.get(i));
            rig.advance(20);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "AUDIO_ENCODING_LINEAR16, 16000",
        "AUDIO_ENCODING_LINEAR16, 24000",
        "AUDIO_ENCODING_MULAW, 8000",
        "AUDIO_ENCODING_OPUS, 48000"
    })
    void tellsWhenSpeechStartsAndStops(AudioEncoding encoding, int rateHz) {
        SpeechDetection detection =
                SpeechDetection.newBuilder()
                        .setPrefixPaddingMs(0)
                        .setSilenceDurationMs(300)
                        .build();
        try (Rig rig = rig(encoding, rateHz, detection)) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            speak(rig, peer);
            long started =
                    call.await(ConverseRequest::hasSpeechStarted)
                            .getSpeechStarted()
                            .getAudioOffsetMs();
            assertThat(started).isLessThan(100);
            // The client sends nothing more, as with DTX: silence is told by the clock alone.
            rig.advanceUntil(
                    () -> call.received().stream().anyMatch(ConverseRequest::hasSpeechStopped));
            long stopped =
                    call.await(ConverseRequest::hasSpeechStopped)
                            .getSpeechStopped()
                            .getAudioOffsetMs();
            assertThat(stopped).isBetween(1_100L, 1_210L);
        }
    }

    @Test
    void saysNothingOfSpeechUnasked() {
        try (Rig rig = Rig.withOpus()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            speak(rig, peer);
            for (int i = 0; i < VOICE.size(); i++) {
                call.await(ConverseRequest::hasInputAudio);
            }
            assertThat(call.received())
                    .noneMatch(m -> m.hasSpeechStarted() || m.hasSpeechStopped());
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 300, 500, threshold", "0.5, 10001, 500, prefix_padding_ms"})
    void refusesSettingsThatMakeNoSense(float threshold, int prefix, int silence, String named) {
        SpeechDetection detection =
                SpeechDetection.newBuilder()
                        .setThreshold(threshold)
                        .setPrefixPaddingMs(prefix)
                        .setSilenceDurationMs(silence)
                        .build();
        try (Rig rig = rig(AudioEncoding.AUDIO_ENCODING_OPUS, 48_000, detection)) {
            Peer peer = rig.client("actpass", PLACE);
            assertThatThrownBy(() -> rig.create(peer))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining(named);
        }
    }
}
