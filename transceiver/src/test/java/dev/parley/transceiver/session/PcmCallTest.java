package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.transceiver.audio.G711;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.Pcm;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls whose inference speaks PCM. */
class PcmCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final double TONE_HZ = 440;
    private static final int RATE_HZ = 24_000;

    /** A backend that says nothing of formats, which means LINEAR16 at 24 kHz. */
    private static Rig withDefaultFormats() {
        return new Rig(
                new FakeVoiceAgent(_ -> SessionReady.getDefaultInstance(), false),
                Rig.LIMITS,
                30_000);
    }

    @Test
    void decodesInputToTheDefaultFormat() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            byte[][] packets = encodedTone(48_000, 30);
            for (int i = 0; i < packets.length; i++) {
                peer.sendOpus(i, i * 960, packets[i]);
                rig.advance(20);
            }
            short[] heard = new short[0];
            for (int i = 0; i < packets.length; i++) {
                InputAudio audio = call.await(ConverseRequest::hasInputAudio).getInputAudio();
                assertThat(audio.getNumSamples()).isEqualTo(480);
                assertThat(audio.getAudio().size()).isEqualTo(960);
                assertThat(audio.getAudioOffsetMs()).isEqualTo(i * 20L);
                assertThat(audio.getConcealedSamples()).isZero();
                heard = append(heard, samples(audio.getAudio().toByteArray()));
            }
            assertThat(toneShare(tail(heard, 9_600), RATE_HZ)).isGreaterThan(0.95);
        }
    }

    @Test
    void fillsASingleGapAndMarksIt() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            byte[][] packets = encodedTone(48_000, 10);
            for (int i = 0; i < packets.length; i++) {
                if (i != 5) {
                    peer.sendOpus(i, i * 960, packets[i]);
                }
                rig.advance(20);
            }
            for (int i = 0; i < packets.length; i++) {
                InputAudio audio = call.await(ConverseRequest::hasInputAudio).getInputAudio();
                assertThat(audio.getAudioOffsetMs()).isEqualTo(i * 20L);
                assertThat(audio.getConcealedSamples()).isEqualTo(i == 5 ? 480 : 0);
            }
        }
    }

    @Test
    void leavesDtxSilent() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            byte[][] packets = encodedTone(48_000, 2);
            peer.sendOpus(0, 0, packets[0]);
            rig.advance(400);
            peer.sendOpus(1, 400 * 48, packets[1]);
            rig.run();
            InputAudio before = call.await(ConverseRequest::hasInputAudio).getInputAudio();
            InputAudio after = call.await(ConverseRequest::hasInputAudio).getInputAudio();
            assertThat(before.getAudioOffsetMs()).isZero();
            assertThat(after.getAudioOffsetMs()).isEqualTo(400);
            assertThat(after.getSequenceNumber()).isEqualTo(1);
            assertThat(after.getConcealedSamples()).isZero();
        }
    }

    @Test
    void encodesOutputAndPacesIt() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            // Not a whole number of frames: the last one is filled up once nothing more comes.
            call.say("r1", "i1", tone(RATE_HZ, 1_010));
            call.mark("done");
            rig.advanceUntil(() -> peer.speech().size() >= 51);
            rig.advance(100);
            assertThat(peer.speech()).hasSize(51);
            short[] heard = new short[0];
            try (OpusDecoder decoder = OpusLibrary.best().newDecoder(48_000)) {
                for (Peer.Received packet : peer.speech()) {
                    short[] pcm = new short[decoder.maxSamples()];
                    int made =
                            decoder.decode(
                                    ByteBuffer.wrap(packet.payload()),
                                    0,
                                    packet.payload().length,
                                    pcm,
                                    0);
                    heard = append(heard, Arrays.copyOf(pcm, made));
                }
            }
            short[] middle = Arrays.copyOfRange(heard, 9_600, 38_400);
            assertThat(toneShare(middle, 48_000)).isGreaterThan(0.95);
            assertThat(call.await(ConverseRequest::hasMarkReached).getMarkReached().getCleared())
                    .isFalse();
            var stopped = call.await(ConverseRequest::hasPlaybackStopped).getPlaybackStopped();
            assertThat(stopped.getResponseId()).isEqualTo("r1");
            assertThat(stopped.getItemId()).isEqualTo("i1");
            assertThat(stopped.getAudioEndMs()).isEqualTo(1_010);
        }
    }

    @Test
    void clearsWhatIsNotEncodedYet() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            call.say("r1", tone(RATE_HZ, 5_000));
            rig.advanceUntil(() -> peer.speech().size() >= 10);
            call.clear("r1");
            call.say("r1", tone(RATE_HZ, 5_000));
            call.mark("after");
            rig.advanceUntil(() -> call.received().stream().anyMatch(m -> m.hasMarkReached()));
            int said = peer.speech().size();
            rig.advance(500);
            assertThat(peer.speech()).hasSize(said);
            var cleared = call.await(ConverseRequest::hasPlaybackCleared).getPlaybackCleared();
            assertThat(cleared.getResponseId()).isEqualTo("r1");
            assertThat(cleared.getAudioEndMs()).isEqualTo(said * 20L);
            assertThat(cleared.getClearedMs()).isEqualTo(5_000 - said * 20L);
        }
    }

    @Test
    void speaksG711() {
        try (Rig rig =
                new Rig(
                        new FakeVoiceAgent(
                                FakeVoiceAgent.accepting(
                                        AudioEncoding.AUDIO_ENCODING_ALAW,
                                        AudioEncoding.AUDIO_ENCODING_MULAW),
                                false),
                        Rig.LIMITS,
                        30_000)) {
            Peer peer = rig.client("actpass", PLACE);
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            peer.sendOpus(0, 0, encodedTone(48_000, 1)[0]);
            rig.run();
            InputAudio audio = call.await(ConverseRequest::hasInputAudio).getInputAudio();
            assertThat(audio.getNumSamples()).isEqualTo(160);
            assertThat(audio.getAudio().size()).isEqualTo(160);
            call.say("r1", new byte[320]);
            rig.advanceUntil(() -> peer.speech().size() == 2);
        }
    }

    @Test
    void speaksG711WithAClientThatHasNoOpus() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE).withPcmaOnly();
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            assertThat(rig.agent().lastStart().getOutputFormatsList())
                    .extracting(f -> f.getEncoding())
                    .doesNotContain(AudioEncoding.AUDIO_ENCODING_OPUS);
            rig.advance(100);
            Peer.Received silence = peer.received().getLast();
            assertThat(silence.payload()).hasSize(160).containsOnly(0xD5);
            int before = peer.received().size();
            call.say("r1", tone(RATE_HZ, 1_000));
            // Time may run faster here than the codecs' thread does, and then there are gaps.
            rig.advanceUntil(() -> others(peer, before, silence).size() >= 50);
            short[] heard = new short[0];
            for (Peer.Received packet : others(peer, before, silence)) {
                assertThat(packet.payload()).hasSize(160);
                short[] pcm = new short[160];
                for (int i = 0; i < pcm.length; i++) {
                    pcm[i] = G711.ALAW.decode(packet.payload()[i]);
                }
                heard = append(heard, pcm);
            }
            int start = 0;
            while (Math.abs(heard[start]) < 500) {
                start++;
            }
            short[] middle = Arrays.copyOfRange(heard, start + 800, start + 7_200);
            assertThat(toneShare(middle, 8_000)).isGreaterThan(0.98);
            Peer.Received last = peer.received().getLast();
            Peer.Received first = peer.received().getFirst();
            assertThat(last.timestamp() - first.timestamp())
                    .isEqualTo((last.sequence() - first.sequence() & 0xFFFF) * 160);
        }
    }

    private static List<Peer.Received> others(Peer peer, int from, Peer.Received silence) {
        return peer.received().stream()
                .skip(from)
                .filter(packet -> !Arrays.equals(packet.payload(), silence.payload()))
                .toList();
    }

    @Test
    void hearsAClientThatHasOnlyG711() {
        try (Rig rig = withDefaultFormats()) {
            Peer peer = rig.client("actpass", PLACE).withPcmaOnly();
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            assertThat(rig.agent().lastStart().getInputFormatsList())
                    .noneMatch(f -> f.getEncoding() == AudioEncoding.AUDIO_ENCODING_OPUS);
            short[] voice = samples(tone(8_000, 200));
            short[] heard = new short[0];
            for (int i = 0; i < 10; i++) {
                byte[] packet = new byte[160];
                for (int j = 0; j < packet.length; j++) {
                    packet[j] = G711.ALAW.encode(voice[i * 160 + j]);
                }
                // The sixth is lost.
                if (i != 5) {
                    peer.send(Peer.PCMA, i, i * 160, packet);
                }
                rig.advance(20);
            }
            for (int i = 0; i < 10; i++) {
                InputAudio audio = call.await(ConverseRequest::hasInputAudio).getInputAudio();
                assertThat(audio.getNumSamples()).isEqualTo(480);
                assertThat(audio.getAudioOffsetMs()).isEqualTo(i * 20L);
                assertThat(audio.getConcealedSamples()).isEqualTo(i == 5 ? 480 : 0);
                assertThat(audio.getAudioLevelDbov()).isBetween(-25, -5);
                heard = append(heard, samples(audio.getAudio().toByteArray()));
            }
            assertThat(toneShare(Arrays.copyOf(heard, 2_400), RATE_HZ)).isGreaterThan(0.9);
        }
    }

    private static byte[] tone(int rateHz, int millis) {
        short[] pcm = new short[rateHz / 1000 * millis];
        for (int i = 0; i < pcm.length; i++) {
            pcm[i] = (short) (10_000 * Math.sin(2 * Math.PI * TONE_HZ * i / rateHz));
        }
        byte[] bytes = new byte[pcm.length * 2];
        Pcm.writeS16le(pcm, 0, pcm.length, bytes, 0);
        return bytes;
    }

    private static byte[][] encodedTone(int rateHz, int packets) {
        byte[][] encoded = new byte[packets][];
        short[] pcm = samples(tone(rateHz, packets * 20));
        ByteBuffer packet = ByteBuffer.allocate(OpusDecoder.MAX_PACKET_BYTES);
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(rateHz)) {
            for (int i = 0; i < packets; i++) {
                int frame = rateHz / 50;
                int length = encoder.encode(pcm, i * frame, frame, packet, 0, packet.capacity());
                encoded[i] = Arrays.copyOf(packet.array(), length);
            }
        }
        return encoded;
    }

    private static short[] samples(byte[] bytes) {
        short[] pcm = new short[bytes.length / 2];
        Pcm.readS16le(ByteBuffer.wrap(bytes), 0, pcm, 0, pcm.length);
        return pcm;
    }

    private static short[] append(short[] a, short[] b) {
        short[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    private static short[] tail(short[] pcm, int samples) {
        return Arrays.copyOfRange(pcm, pcm.length - samples, pcm.length);
    }

    /**
     * Share of the signal's power that is the tone. Repeated, missing or swapped frames break its
     * phase and spread it over other frequencies.
     */
    private static double toneShare(short[] pcm, int rateHz) {
        double cosine = 0;
        double sine = 0;
        double power = 0;
        for (int i = 0; i < pcm.length; i++) {
            double phase = 2 * Math.PI * TONE_HZ * i / rateHz;
            cosine += pcm[i] * Math.cos(phase);
            sine += pcm[i] * Math.sin(phase);
            power += (double) pcm[i] * pcm[i];
        }
        return 2 * (cosine * cosine + sine * sine) / (pcm.length * power);
    }
}
