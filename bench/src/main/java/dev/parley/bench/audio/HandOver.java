package dev.parley.bench.audio;

import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.rtc.sdp.SdpCodec;
import dev.parley.rtc.sdp.SdpFormats;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.inference.Formats;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputMemory;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The part of the way between the media loop and the agent, each way: from OutputAudio written by
 * the agent to its packet at the media loop's hand, and from a decrypted packet in that hand to
 * InputAudio at the agent. One call of the inference side alone, in real time; with OPUS it is the
 * gRPC hop, with PCM the codec and its thread as well.
 */
final class HandOver {
    private static final String SESSION = "00000000000000000000000000000001";
    private static final int MESSAGES = 250;
    private static final int WARM_UP = 100;
    private static final long PACKET_NANOS = 20_000_000L;
    private static final long LOOK_NANOS = 50_000L;
    private static final long REORDER_NANOS = 60_000_000L;
    private static final int OPUS = 111;
    private static final int PACKET_CLOCK = 960;

    private HandOver() {}

    private static final class Quiet implements InferenceCall.Owner {
        @Override
        public void onFirstInput() {}

        @Override
        public void onInferenceFailed(Status status) {}

        @Override
        public void onFault(String where, Throwable fault) {}

        @Override
        public void onOutput() {}
    }

    private interface Measure {
        long[] of(Agent.Call agent, InferenceCall call, Backends backends);
    }

    /** From the agent to the media loop, in nanoseconds. */
    static long[] output(String model) throws java.io.IOException {
        return measure(model, (agent, call, _) -> speak(model, agent, call));
    }

    /** From the media loop to the agent. */
    static long[] input(String model) throws java.io.IOException {
        return measure(model, HandOver::hear);
    }

    private static long[] measure(String model, Measure measure) throws java.io.IOException {
        OutputMemory memory = new OutputMemory(1 << 24, 1 << 24);
        try (Agent agent = Agent.start();
                Backends backends =
                        Backends.open(
                                Map.of(Backends.ANY_MODEL, agent.target()),
                                BackendSettings.DEFAULT,
                                new AudioCounters())) {
            InferenceCall call =
                    InferenceCall.open(
                            backends,
                            SessionStart.newBuilder().setSessionId(SESSION).setModel(model).build(),
                            new Backlog(48_000L * 60, memory));
            SessionReady ready = call.ready().join();
            call.connect(
                    Objects.requireNonNull(Formats.find(ClientCodec.OPUS, ready)),
                    OutputFormat.opus(111, 20, false),
                    OpusSettings.VOICE,
                    OpusLibrary.best(),
                    System::nanoTime,
                    (_, _, _, _) -> {
                        throw new IllegalStateException("not asked for");
                    },
                    new Quiet());
            long[] nanos = measure.of(agent.calls().getFirst(), call, backends);
            call.end(EndReason.END_REASON_UNSPECIFIED, "", null);
            return nanos;
        }
    }

    private static long[] speak(String model, Agent.Call agent, InferenceCall call) {
        long[] nanos = new long[MESSAGES];
        long next = System.nanoTime();
        for (int i = -WARM_UP; i < MESSAGES; i++) {
            LockSupport.parkNanos(next - System.nanoTime());
            next += PACKET_NANOS;
            long written = System.nanoTime();
            agent.say("r", DelayBench.message(model, i + WARM_UP));
            long taken = take(call);
            if (i >= 0) {
                nanos[i] = taken - written;
            }
        }
        return nanos;
    }

    private static long[] hear(Agent.Call agent, InferenceCall call, Backends backends) {
        List<byte[]> voice = OpusVoice.packets((WARM_UP + MESSAGES) / 50);
        SdpFormats formats =
                new SdpFormats(
                        new SdpCodec(OPUS, "opus", 48_000, 2, Map.of()),
                        SdpFormats.NONE,
                        null,
                        false);
        InputPath path = new InputPath(formats, REORDER_NANOS, call.input(), call.counters());
        long[] nanos = new long[MESSAGES];
        AtomicLong heard = new AtomicLong();
        agent.listen((at, _) -> heard.set(at));
        long next = System.nanoTime();
        for (int i = 0; i < voice.size(); i++) {
            LockSupport.parkNanos(next - System.nanoTime());
            next += PACKET_NANOS;
            byte[] packet = voice.get(i);
            heard.set(0);
            long handed = System.nanoTime();
            var _ =
                    path.accept(
                            i,
                            OPUS,
                            i * PACKET_CLOCK,
                            -1,
                            ByteBuffer.wrap(packet),
                            0,
                            packet.length,
                            handed);
            backends.flush();
            while (heard.get() == 0) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            if (i >= WARM_UP) {
                nanos[i - WARM_UP] = heard.get() - handed;
            }
        }
        return nanos;
    }

    private static long take(InferenceCall call) {
        while (true) {
            if (call.pollOutput() instanceof OutputItem.Frame frame) {
                long now = System.nanoTime();
                call.left(1, frame.samples(), frame.chargedBytes());
                return now;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
