package dev.parley.bench.audio;

import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A voice as a client codes it, for benchmarks to send. */
final class OpusVoice {
    private static final int RATE_HZ = 16_000;
    private static final int PACKETS_PER_SECOND = 50;

    private OpusVoice() {}

    /** Packets of 20 ms: a buzz with the spectrum of a vowel that comes and goes. */
    static List<byte[]> packets(int seconds) {
        List<byte[]> packets = new ArrayList<>();
        ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
        short[] frame = new short[RATE_HZ / PACKETS_PER_SECOND];
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(RATE_HZ)) {
            encoder.bitrate(32_000);
            encoder.complexity(9);
            for (int i = 0; i < seconds * PACKETS_PER_SECOND; i++) {
                for (int j = 0; j < frame.length; j++) {
                    double t = (double) (i * frame.length + j) / RATE_HZ;
                    double sum = 0;
                    for (int harmonic = 1; harmonic < 30; harmonic++) {
                        sum += Math.sin(2 * Math.PI * 120 * harmonic * t) / harmonic;
                    }
                    frame[j] = (short) (5_000 * sum * Math.abs(Math.sin(2 * t)));
                }
                int length = encoder.encode(frame, 0, frame.length, packet, 0, packet.capacity());
                byte[] bytes = new byte[length];
                packet.get(0, bytes);
                packets.add(bytes);
            }
        }
        return packets;
    }
}
