package dev.parley.bench;

import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What 20 ms of voice cost to encode and to decode: 24 kHz mono, 32 kb/s, in-band FEC for 5 % loss,
 * as a call with LINEAR16 does. Sampled, so that the median holds on a busy machine too.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
public class OpusBench {
    private static final int RATE_HZ = 24_000;
    private static final int FRAME = RATE_HZ / 50;
    private static final int FRAMES = 200;

    @Param({"system", "bundled", "concentus"})
    String library;

    @Param({"0", "5", "8", "10"})
    int complexity;

    private final short[] voice = voice();
    private final short[] pcm = new short[RATE_HZ];
    private final ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
    private final ByteBuffer[] packets = new ByteBuffer[FRAMES];
    private OpusEncoder encoder;
    private OpusDecoder decoder;
    private int encoded;
    private int decoded;

    /** JMH measures in the thread that runs this, so the codecs have one owner. */
    @Setup
    public void open() {
        OpusLibrary opus =
                switch (library) {
                    case "system" -> OpusLibrary.system().orElseThrow();
                    case "bundled" -> OpusLibrary.bundled().orElseThrow();
                    default -> OpusLibrary.concentus();
                };
        encoder = opus.newEncoder(RATE_HZ);
        encoder.bitrate(32_000);
        encoder.complexity(complexity);
        encoder.inbandFec(true);
        encoder.expectedLossPercent(5);
        decoder = opus.newDecoder(RATE_HZ);
        for (int i = 0; i < FRAMES; i++) {
            int length = encode();
            packets[i] = ByteBuffer.allocateDirect(length).put(0, packet, 0, length);
        }
    }

    @TearDown
    public void close() {
        encoder.close();
        decoder.close();
    }

    @Benchmark
    public int encode() {
        int at = encoded++ % FRAMES * FRAME;
        return encoder.encode(voice, at, FRAME, packet, 0, packet.capacity());
    }

    @Benchmark
    public int decode() {
        ByteBuffer next = packets[decoded++ % FRAMES];
        return decoder.decode(next, 0, next.capacity(), pcm, 0);
    }

    /**
     * Harmonics of a gliding pitch in syllables, with some noise: the coder works as for speech.
     */
    private static short[] voice() {
        short[] samples = new short[FRAMES * FRAME];
        Random noise = new Random(7);
        double phase = 0;
        for (int i = 0; i < samples.length; i++) {
            double seconds = i / (double) RATE_HZ;
            double pitch = 140 + 30 * Math.sin(2 * Math.PI * 0.7 * seconds);
            phase += 2 * Math.PI * pitch / RATE_HZ;
            double sum = 0;
            for (int harmonic = 1; harmonic * pitch < 8_000; harmonic++) {
                sum += Math.sin(harmonic * phase) / (1 + Math.pow(harmonic * pitch / 900, 2));
            }
            double syllable = Math.pow(Math.sin(Math.PI * 4 * seconds), 2);
            samples[i] = (short) (2_500 * syllable * sum + 20 * noise.nextGaussian());
        }
        return samples;
    }
}
