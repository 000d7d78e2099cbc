package dev.parley.bench.grpc;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The far end of the comparison. SessionStart's model says what a stream does: {@code echo} answers
 * each message, {@code flood} writes while the transport is ready, {@code deaf} never grants a
 * read, {@code refuse} answers with a status and trailers, {@code who} tells the request's
 * metadata.
 */
final class BenchAgent extends VoiceAgentGrpc.VoiceAgentImplBase implements ServerInterceptor {
    static final Metadata.Key<String> TRACE =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<String> DETAIL =
            Metadata.Key.of("parley-detail", Metadata.ASCII_STRING_MARSHALLER);
    static final int FLOOD_LIMIT_BYTES = 64 << 20;
    static final int FLOOD_MESSAGE_BYTES = 16 << 10;
    private static final Context.Key<String> TRACE_SEEN = Context.key("traceparent");

    final AtomicInteger cancelled = new AtomicInteger();
    final AtomicLong flooded = new AtomicLong();

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String trace = headers.get(TRACE);
        Context context = Context.current().withValue(TRACE_SEEN, trace == null ? "none" : trace);
        return Contexts.interceptCall(context, call, headers, next);
    }

    @Override
    public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> responses) {
        return new Stream((ServerCallStreamObserver<ConverseResponse>) responses);
    }

    static ConverseResponse audio(ByteString bytes) {
        return ConverseResponse.newBuilder()
                .setOutputAudio(OutputAudio.newBuilder().setAudio(bytes))
                .build();
    }

    private final class Stream implements StreamObserver<ConverseRequest> {
        private final ServerCallStreamObserver<ConverseResponse> responses;
        private final String trace = TRACE_SEEN.get();
        private final ConverseResponse floodMessage =
                audio(ByteString.copyFrom(new byte[FLOOD_MESSAGE_BYTES]));
        private String model = "";
        private long floodedBytes;

        Stream(ServerCallStreamObserver<ConverseResponse> responses) {
            this.responses = responses;
            responses.disableAutoRequest();
            responses.setOnCancelHandler(cancelled::incrementAndGet);
            responses.setOnReadyHandler(this::flood);
            responses.request(1);
        }

        @Override
        public void onNext(ConverseRequest request) {
            switch (request.getMessageCase()) {
                case SESSION_START -> start(request.getSessionStart().getModel());
                case INPUT_AUDIO -> {
                    responses.onNext(audio(request.getInputAudio().getAudio()));
                    responses.request(1);
                }
                default -> responses.request(1);
            }
        }

        private void start(String wanted) {
            model = wanted;
            switch (model) {
                case "flood" -> {
                    flooded.set(0);
                    flood();
                }
                case "refuse" -> {
                    Metadata trailers = new Metadata();
                    trailers.put(DETAIL, "queue=7");
                    responses.onError(
                            Status.RESOURCE_EXHAUSTED
                                    .withDescription("full: try later")
                                    .asRuntimeException(trailers));
                }
                case "who" -> {
                    responses.onNext(audio(ByteString.copyFromUtf8(trace)));
                    responses.onCompleted();
                }
                case "deaf" -> {}
                default -> responses.request(1);
            }
        }

        private void flood() {
            while (model.equals("flood")
                    && floodedBytes < FLOOD_LIMIT_BYTES
                    && responses.isReady()) {
                responses.onNext(floodMessage);
                floodedBytes += FLOOD_MESSAGE_BYTES;
                flooded.set(floodedBytes);
            }
            if (floodedBytes >= FLOOD_LIMIT_BYTES && model.equals("flood")) {
                model = "flooded";
                responses.onCompleted();
            }
        }

        @Override
        public void onError(Throwable fault) {
            // setOnCancelHandler has counted it.
        }

        @Override
        public void onCompleted() {
            if (model.equals("echo")) {
                responses.onNext(audio(ByteString.copyFromUtf8("last words")));
                responses.onCompleted();
            }
        }
    }
}
