package dev.parley.bench.audio;

import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.inference.Formats;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputMemory;
import io.grpc.Status;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * From OutputAudio written by the agent to its packet at the media loop's hand: the part of the way
 * that the client's side cannot tell from the wait for the beat. One call of the inference side
 * alone, in real time; with OPUS it is the gRPC hop, with PCM the codec and its thread as well.
 */
final class HandOver {
    private static final int MESSAGES = 250;
    private static final int WARM_UP = 100;
    private static final long PACKET_NANOS = 20_000_000L;
    private static final long LOOK_NANOS = 50_000L;

    private HandOver() {}

    private static final class Quiet implements InferenceCall.Owner {
        @Override
        public void onFirstInput() {}

        @Override
        public void onInferenceFailed(Status status) {}

        @Override
        public void onFault(String where, Throwable fault) {}

        @Override
        public void onServerEvent() {}
    }

    static long[] measure(String model) throws java.io.IOException {
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
                            SessionStart.newBuilder().setModel(model).build(),
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
            long[] nanos = speak(model, agent.calls().getFirst(), call);
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
