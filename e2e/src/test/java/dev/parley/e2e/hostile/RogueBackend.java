package dev.parley.e2e.hostile;

import com.google.protobuf.ByteString;
import dev.parley.bench.signaling.BenchCall;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.HostileSystem.Service;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.Mark;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SpeechDetection;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * An inference service that has been taken over. Each call meets another kind of it: it answers
 * nothing, names formats that there are not, sends audio that is none, as fast as the stream takes
 * it, in messages as large as they may be, without end, and leaves unread what it is sent.
 */
final class RogueBackend extends VoiceAgentGrpc.VoiceAgentImplBase implements AutoCloseable {
    private static final int KINDS = 8;
    private static final int ROGUE_CALLS = 16;

    /** What it makes wait is held up to here, whatever else a transceiver may have room for. */
    private static final Map<Service, String> BOUNDED =
            Map.of(Service.TRANSCEIVER, "output_memory_bytes: 16777216\n");

    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);
    private static final int LARGE_BYTES = 3 << 20;
    private static final int MESSAGES_AT_ONCE = 50;

    /** Netty's, which tells at length of each stream that was ended while it was being flooded. */
    private static final Logger NETTY = Logger.getLogger("io.grpc.netty");

    private final Server server;
    private final AtomicInteger calls = new AtomicInteger();

    /** Calls to it, beside those to a good one. */
    static void drill(Path folder, DrillReport report) throws Exception {
        try (RogueBackend rogue = new RogueBackend();
                HostileSystem system = HostileSystem.start(folder, rogue.address(), BOUNDED)) {
            AtomicInteger refused = new AtomicInteger();
            HostileDrill.answered((target, going) -> callAll(target, going, refused))
                    .run(system, report);
            report.atLeast("calls that the rogue got", rogue.calls(), "", ROGUE_CALLS / 2.0);
            report.tell("calls to it that came to nothing", refused.get(), "");
        }
    }

    private static void callAll(Target target, BooleanSupplier going, AtomicInteger refused)
            throws InterruptedException {
        List<Thread> calls = new ArrayList<>();
        for (int i = 0; i < ROGUE_CALLS; i++) {
            calls.add(Thread.ofPlatform().start(() -> call(target, going, refused)));
        }
        for (Thread call : calls) {
            call.join();
        }
    }

    private static void call(Target target, BooleanSupplier going, AtomicInteger refused) {
        while (going.getAsBoolean()) {
            try (BenchCall call = new BenchCall()) {
                call.connect(target.base(), "rogue", true, System.nanoTime() + PATIENCE_NANOS);
                while (going.getAsBoolean()) {
                    call.turn();
                }
            } catch (IOException _) {
                refused.incrementAndGet();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    RogueBackend() throws IOException {
        NETTY.setLevel(Level.OFF);
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(this)
                        .build()
                        .start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Calls that it got. */
    int calls() {
        return calls.get();
    }

    @Override
    public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> response) {
        ServerCallStreamObserver<ConverseResponse> out =
                (ServerCallStreamObserver<ConverseResponse>) response;
        int kind = calls.getAndIncrement() % KINDS;
        Random random = new Random(kind);
        out.setOnCancelHandler(() -> {});
        if (kind == 0) {
            // It never answers, and never reads either.
            out.disableAutoRequest();
        } else {
            out.onNext(ready(kind));
            out.setOnReadyHandler(() -> flood(out, kind, random));
            if (kind == 1) {
                out.disableAutoRequest();
            }
        }
        return new StreamObserver<>() {
            @Override
            public void onNext(ConverseRequest request) {
                if (kind > 0) {
                    flood(out, kind, random);
                }
            }

            @Override
            public void onError(Throwable thrown) {
                // The call was ended.
            }

            @Override
            public void onCompleted() {
                // It does not say goodbye.
            }
        };
    }

    private static ConverseResponse ready(int kind) {
        AudioEncoding encoding =
                kind == 2
                        ? AudioEncoding.AUDIO_ENCODING_OPUS
                        : AudioEncoding.AUDIO_ENCODING_LINEAR16;
        AudioFormat format =
                AudioFormat.newBuilder()
                        .setEncoding(encoding)
                        .setSampleRateHz(kind == 3 ? -1 : kind == 2 ? 48_000 : 16_000)
                        .build();
        SessionReady.Builder ready =
                SessionReady.newBuilder().setInputFormat(format).setOutputFormat(format);
        if (kind == 4) {
            ready.setSpeechDetection(
                    SpeechDetection.newBuilder().setThreshold(Float.NaN).setSilenceDurationMs(-1));
        }
        return ConverseResponse.newBuilder().setSessionReady(ready).build();
    }

    private static synchronized void flood(
            ServerCallStreamObserver<ConverseResponse> out, int kind, Random random) {
        for (int i = 0; i < MESSAGES_AT_ONCE && out.isReady() && !out.isCancelled(); i++) {
            out.onNext(message(kind, random));
        }
    }

    private static ConverseResponse message(int kind, Random random) {
        ConverseResponse.Builder message = ConverseResponse.newBuilder();
        return switch (kind) {
            case 2 -> message.setOutputAudio(audio(random, 1 + random.nextInt(2_000))).build();
            case 5 ->
                    message.setServerEvent(
                                    ServerEvent.newBuilder().setText("x".repeat(LARGE_BYTES)))
                            .build();
            case 6 ->
                    switch (random.nextInt(4)) {
                        case 0 -> message.setClearAudio(ClearAudio.getDefaultInstance()).build();
                        case 1 ->
                                message.setMark(Mark.newBuilder().setName("m" + random.nextLong()))
                                        .build();
                        case 2 -> message.build();
                        default -> message.setOutputAudio(audio(random, 640)).build();
                    };
            case 7 -> message.setOutputAudio(audio(random, LARGE_BYTES | 1)).build();
            default -> message.setOutputAudio(audio(random, 3_200)).build();
        };
    }

    private static OutputAudio audio(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return OutputAudio.newBuilder()
                .setAudio(ByteString.copyFrom(bytes))
                .setResponseId("r" + random.nextInt(1_000))
                .build();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
