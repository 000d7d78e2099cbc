package dev.parley.bench.audio;

import com.sun.management.ThreadMXBean;
import dev.parley.rtc.sdp.SdpCodec;
import dev.parley.rtc.sdp.SdpFormats;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.VoiceDecoder;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.VoiceInput;
import dev.parley.transceiver.speech.SpeechGate;
import dev.parley.transceiver.speech.SpeechSettings;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a caller's audio costs on its way from decrypted RTP to what goes into the stream to
 * inference, gRPC left out: processor time per session and second of speech, and the longest and
 * the usual time from a packet's arrival to its audio. Prints Markdown.
 */
public final class InputBench {
    private static final int OPUS = 111;
    private static final int PACKETS_PER_SECOND = 50;
    private static final int SECONDS = 60;
    private static final int RATE_HZ = 16_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<byte[]> packets = OpusVoice.packets(SECONDS);
    private long taken;

    private InputBench() {}

    public static void main(String[] arguments) {
        InputBench bench = new InputBench();
        System.out.println(
                "| to inference | CPU, ms per session and second | µs a packet p50 / p99 |");
        System.out.println("|---|---|---|");
        bench.print("OPUS", null, null);
        for (int rate : new int[] {8_000, 16_000, 24_000, 48_000}) {
            bench.print("LINEAR16, " + rate, new InferenceFormat(Encoding.LINEAR16, rate), null);
        }
        bench.print("MULAW", new InferenceFormat(Encoding.MULAW, 8_000), null);
        SpeechSettings speech = new SpeechSettings(0.5f, 300, 500);
        bench.print("OPUS, speech detection", null, speech);
        InferenceFormat wide = new InferenceFormat(Encoding.LINEAR16, RATE_HZ);
        bench.print("LINEAR16, 16000, speech detection", wide, speech);
    }

    private void print(
            String name, @Nullable InferenceFormat format, @Nullable SpeechSettings speech) {
        run(format, speech);
        long before = THREADS.getCurrentThreadCpuTime();
        long[] nanos = run(format, speech);
        double millis = (THREADS.getCurrentThreadCpuTime() - before) / 1e6 / SECONDS;
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "| %s | %.2f | %.0f / %.0f |%n",
                name,
                millis,
                nanos[nanos.length / 2] / 1e3,
                nanos[nanos.length * 99 / 100] / 1e3);
    }

    private long[] run(@Nullable InferenceFormat format, @Nullable SpeechSettings speech) {
        AudioCounters counters = new AudioCounters();
        VoiceInput decoding =
                new VoiceInput(
                        new VoiceInput.Source(
                                true, to -> VoiceDecoder.ofOpus(OpusLibrary.best(), to)),
                        counters);
        if (format != null) {
            decoding.decode(format, (_, _, bytes, _, _, _, _) -> taken += bytes);
        }
        if (speech != null) {
            boolean heard = format != null && VoiceInput.isDetected(format);
            decoding.detect(speech, heard, new Ignored());
        }
        boolean decodes = format != null || speech != null;
        SdpCodec opus = new SdpCodec(OPUS, "opus", 48_000, 2, Map.of());
        InputPath path =
                new InputPath(
                        new SdpFormats(opus, SdpFormats.NONE, null, false),
                        60_000_000L,
                        new InputPath.Sink() {
                            @Override
                            public void packet(InputPacket packet) {
                                taken += packet.length();
                                if (decodes) {
                                    decoding.packet(packet);
                                }
                            }

                            @Override
                            public void key(char key, int durationMillis) {
                                taken++;
                            }
                        },
                        counters);
        long[] nanos = new long[packets.size()];
        for (int i = 0; i < nanos.length; i++) {
            byte[] packet = packets.get(i);
            long now = i * 1_000_000_000L / PACKETS_PER_SECOND;
            ByteBuffer bytes = ByteBuffer.wrap(packet);
            long from = System.nanoTime();
            var _ = path.accept(i, OPUS, i * 960, -1, bytes, 0, packet.length, now);
            while (decodes && decoding.runOnce(now)) {}
            nanos[i] = System.nanoTime() - from;
        }
        decoding.close();
        return nanos;
    }

    private static final class Ignored implements SpeechGate.Listener {
        @Override
        public void started(long offsetSamples) {
            // Measured, not heard.
        }

        @Override
        public void stopped(long offsetSamples) {
            // Measured, not heard.
        }
    }
}
