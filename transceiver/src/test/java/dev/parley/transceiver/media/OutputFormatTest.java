package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusPacket;
import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputFormatTest {
    @ParameterizedTest
    @ValueSource(ints = {10, 20, 40, 60})
    void silenceOfEveryPacketTimeDecodesToNothing(int packetMillis) {
        ByteBuffer silence = ByteBuffer.wrap(OutputFormat.opus(96, packetMillis, false).silence());
        OpusPacket packet = new OpusPacket();
        assertThat(packet.wrap(silence, 0, silence.capacity())).isTrue();
        assertThat(packet.durationSamples()).isEqualTo(packetMillis * 48);
        try (OpusDecoder decoder = OpusLibrary.best().newDecoder(48_000)) {
            short[] pcm = new short[decoder.maxSamples()];
            for (int i = 0; i < 5; i++) {
                assertThat(decoder.decode(silence, 0, silence.capacity(), pcm, 0))
                        .isEqualTo(packetMillis * 48);
            }
            assertThat(pcm).containsOnly(0);
        }
    }
}
