package dev.parley.bench.sessions;

import dev.parley.app.PacketLoops;
import dev.parley.otel.Telemetry;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.transceiver.Transceiver;
import dev.parley.transceiver.TransceiverConfig;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The process of a transceiver whose backend is an echo of Opus in the same process: messages are
 * made and taken as ever, but cross neither HTTP/2 nor a socket. What it costs less than one with a
 * backend elsewhere is the price of the gRPC hop.
 */
public final class TransceiverWithoutHop {
    private static final String ECHO = "echo";
    private static final long PACKET_NANOS = 20_000_000L;
    private static final long MOST_WAITING_NANOS = 60_000_000L;

    private TransceiverWithoutHop() {}

    /** Runs until it is killed; takes the same arguments as the app. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        PacketLoops.sizeScheduler();
        TransceiverConfig config =
                ConfigLoader.load(
                        TransceiverConfig.class, Path.of(arguments[arguments.length - 1]));
        var server =
                InProcessServerBuilder.forName(ECHO)
                        .directExecutor()
                        .addService(new Echo())
                        .build()
                        .start();
        try (Transceiver transceiver =
                Transceiver.start(
                        config, Telemetry.none(), _ -> InProcessChannelBuilder.forName(ECHO))) {
            System.out.println("ready transceiver " + HostPort.of(transceiver.controlAddress()));
            server.awaitTermination();
        }
    }

    private static final class Echo extends VoiceAgentGrpc.VoiceAgentImplBase {
        private static final AudioFormat OPUS =
                AudioFormat.newBuilder().setEncoding(AudioEncoding.AUDIO_ENCODING_OPUS).build();
        private static final ConverseResponse READY =
                ConverseResponse.newBuilder()
                        .setSessionReady(
                                SessionReady.newBuilder()
                                        .setInputFormat(OPUS)
                                        .setOutputFormat(OPUS))
                        .build();

        @Override
        public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> down) {
            return new StreamObserver<>() {
                private long playedNanos;

                @Override
                public void onNext(ConverseRequest message) {
                    if (message.hasSessionStart()) {
                        down.onNext(READY);
                    } else if (message.hasInputAudio() && isInTime()) {
                        down.onNext(
                                ConverseResponse.newBuilder()
                                        .setOutputAudio(
                                                OutputAudio.newBuilder()
                                                        .setResponseId(ECHO)
                                                        .setAudio(
                                                                message.getInputAudio().getAudio()))
                                        .build());
                    }
                }

                // Like the echo of the stub: one that comes late is worth nothing.
                private boolean isInTime() {
                    long now = System.nanoTime();
                    long ends = Math.max(playedNanos, now) + PACKET_NANOS;
                    boolean inTime = playedNanos == 0 || ends - now <= MOST_WAITING_NANOS;
                    playedNanos = inTime ? ends : playedNanos;
                    return inTime;
                }

                @Override
                public void onError(Throwable fault) {
                    // The call is over.
                }

                @Override
                public void onCompleted() {
                    down.onCompleted();
                }
            };
        }
    }
}
