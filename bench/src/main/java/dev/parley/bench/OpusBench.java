package dev.parley.bench;

import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * as a call with LINEAR16 does. {@code cpuMicros} is the processor time of a frame, which is what a
 * server pays and what holds on a busy machine too; JMH adds it up over iterations, hence one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 1, time = 5)
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

    /** Processor time per frame; JMH reports the public field beside the time that passed. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Cost {
        public double cpuMicros;

        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private long startNanos;
        private long frames;

        @Setup(Level.Iteration)
        public void start() {
            frames = 0;
            startNanos = threads.getCurrentThreadCpuTime();
        }

        @TearDown(Level.Iteration)
        public void stop() {
            cpuMicros = (threads.getCurrentThreadCpuTime() - startNanos) / 1e3 / frames;
        }
    }

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
    public int encode(Cost cost) {
        cost.frames++;
        return encode();
    }

    private int encode() {
        int at = encoded++ % FRAMES * FRAME;
        return encoder.encode(voice, at, FRAME, packet, 0, packet.capacity());
    }

    @Benchmark
    public int decode(Cost cost) {
        cost.frames++;
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
