package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.audio.OpusPacket;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EchoMarkTest {
    private static final byte[] FRAME = {(byte) 0xF8, 1, 2, 3, 4, 5};

    private final EchoMark mark = new EchoMark();

    @Test
    void leavesAPacketThatDecodersReadAsTheSameFrame() {
        byte[] roomy = Objects.requireNonNull(EchoMark.withRoom(FRAME));
        OpusPacket opus = new OpusPacket();

        assertThat(opus.wrap(ByteBuffer.wrap(roomy), 0, roomy.length)).isTrue();
        assertThat(opus.durationSamples()).isEqualTo(960);
        assertThat(roomy).startsWith((byte) 0xFB, (byte) 0x41, (byte) 20).contains(FRAME[1], 3);
    }

    @Test
    void bringsBackWhoseWhichAndWhen() {
        byte[] roomy = Objects.requireNonNull(EchoMark.withRoom(FRAME));
        ByteBuffer bytes = ByteBuffer.allocate(100).put(7, roomy);

        EchoMark.write(bytes, 7, roomy.length, 42, 4711, -5);

        assertThat(mark.wrap(bytes, 7, roomy.length)).isTrue();
        assertThat(mark.caller()).isEqualTo(42);
        assertThat(mark.number()).isEqualTo(4711);
        assertThat(mark.sentNanos()).isEqualTo(-5);
    }

    @Test
    void seesNoMarkInSpeech() {
        assertThat(mark.wrap(ByteBuffer.wrap(new byte[100]), 0, 100)).isFalse();
        assertThat(mark.wrap(ByteBuffer.wrap(FRAME), 0, FRAME.length)).isFalse();
    }

    @Test
    void hasNoRoomInPacketsOfSeveralFrames() {
        assertThat(EchoMark.withRoom(new byte[] {(byte) 0xF9, 1, 2})).isNull();
        assertThat(EchoMark.withRoom(new byte[0])).isNull();
    }
}
