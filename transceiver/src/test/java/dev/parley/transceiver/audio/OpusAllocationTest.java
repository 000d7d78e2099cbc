package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A frame through libopus, either way, costs no garbage; a call is 100 frames a second. */
class OpusAllocationTest {
    private static final int WARM_UP = 2_000;
    private static final int FRAMES = 2_000;
    private static final InferenceFormat FORMAT = new InferenceFormat(Encoding.LINEAR16, 24_000);
    private static final OpusSettings FAST = new OpusSettings(32_000, 0, true, 5);

    private final ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
    private int packetLength;

    @Test
    void encodesAndDecodesWithoutAllocating() {
        OpusLibrary library = OpusLibrary.best();
        assumeTrue(library != OpusLibrary.concentus(), "Concentus allocates");
        byte[] voice = new byte[FORMAT.frameSamples() * 2];
        Pcm.writeS16le(TestSignal.voice(24_000, 100), 960, FORMAT.frameSamples(), voice, 0);
        ByteBuffer audio = ByteBuffer.wrap(voice);
        VoiceEncoder.PacketSink sink = this::keep;
        try (VoiceEncoder encoder = new VoiceEncoder(library, FORMAT, FAST);
                VoiceDecoder decoder = VoiceDecoder.ofOpus(library, FORMAT)) {
            Runnable frame =
                    () -> {
                        encoder.encode(audio, 0, voice.length, sink);
                        decoder.decode(packet, 0, packetLength);
                        decoder.conceal(960);
                        decoder.recover(packet, 0, packetLength, 960);
                        decoder.levelDbov();
                    };
            repeat(frame, WARM_UP);
            assertThat(bytesFor(frame)).isLessThan(FRAMES);
        }
    }

    private void keep(ByteBuffer bytes, int offset, int length) {
        packet.put(0, bytes, offset, length);
        packetLength = length;
    }

    private static long bytesFor(Runnable frame) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        repeat(frame, FRAMES);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static void repeat(Runnable frame, int times) {
        for (int i = 0; i < times; i++) {
            frame.run();
        }
    }
}
