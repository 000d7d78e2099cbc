package dev.parley.bench.grpc;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Asks of one client and one server what a Converse stream needs beyond carrying messages. */
final class ContractProbes {
    private final BenchPeer peer;
    private final Channel channel;
    private final Duration idle;
    private final Map<String, String> answers = new LinkedHashMap<>();

    private ContractProbes(BenchPeer peer, Channel channel, Duration idle) {
        this.peer = peer;
        this.channel = channel;
        this.idle = idle;
    }

    /** Each question with "yes" or what happened instead. */
    static Map<String, String> run(Transport client, Transport server, Duration idle)
            throws Exception {
        try (BenchPeer peer = new BenchPeer(server)) {
            Transport.Connected connected = client.connect(peer.port);
            ContractProbes probes = new ContractProbes(peer, connected.channel(), idle);
            probes.askAll();
            connected.stop().run();
            return probes.answers;
        }
    }

    private interface Probe {
        String run() throws Exception;
    }

    private void askAll() {
        ask("request metadata arrives", this::metadata);
        ask("status, text and trailers arrive", this::refusal);
        ask("half-close, then more answers", this::halfClose);
        ask("a 1 MiB message each way", this::bigMessage);
        ask("cancel reaches the server in 1 s", this::cancel);
        ask("server isReady turns false", this::serverBackPressure);
        ask("client isReady turns false", this::clientBackPressure);
        ask("client request(n) is exact", this::manualRequests);
        ask("alive after " + idle.toSeconds() + " s idle", this::idleStream);
        ask("server killed: told in 1 s", this::serverDeath);
    }

    private void ask(String question, Probe probe) {
        String answer;
        try {
            answer = probe.run();
        } catch (Exception e) {
            answer = e.toString();
        }
        answers.put(question, answer);
    }

    private String metadata() throws Exception {
        Metadata headers = new Metadata();
        headers.put(BenchAgent.TRACE, "00-ab-cd-01");
        Call call =
                open("who", Integer.MAX_VALUE, MetadataUtils.newAttachHeadersInterceptor(headers));
        return yesIf(call.next(), "audio 00-ab-cd-01");
    }

    private String refusal() throws Exception {
        return yesIf(
                open("refuse", Integer.MAX_VALUE).next(),
                "RESOURCE_EXHAUSTED full: try later queue=7");
    }

    private String halfClose() throws Exception {
        Call call = open("echo", Integer.MAX_VALUE);
        call.requests.onNext(audio(3));
        call.requests.onCompleted();
        return yesIf(
                call.next() + ", " + call.next() + ", " + call.next(),
                "audio \0\0\0, audio last words, completed");
    }

    private String bigMessage() throws Exception {
        Call call = open("echo", Integer.MAX_VALUE);
        call.requests.onNext(audio(1 << 20));
        String answer = call.next();
        call.requests.onCompleted();
        return answer.length() == "audio ".length() + (1 << 20)
                ? "yes"
                : answer.substring(0, Math.min(100, answer.length()));
    }

    private String cancel() throws Exception {
        int before = Integer.parseInt(peer.ask("cancelled"));
        Call call = open("echo", Integer.MAX_VALUE);
        call.requests.onNext(audio(3));
        call.next();
        call.requests.cancel("enough", null);
        return within(1_000, () -> Integer.parseInt(asked("cancelled")) == before + 1)
                ? "yes"
                : "no";
    }

    private String serverBackPressure() throws Exception {
        Call call = open("flood", 1);
        call.next();
        long accepted = settled(() -> Long.parseLong(asked("flooded")));
        if (accepted >= BenchAgent.FLOOD_LIMIT_BYTES) {
            return "no: " + (accepted >> 20) + " MiB accepted for a reader that stopped";
        }
        call.requests.request(Integer.MAX_VALUE);
        int count = 1;
        String last = call.next();
        while (last.startsWith("audio")) {
            count++;
            last = call.next();
        }
        int expected = BenchAgent.FLOOD_LIMIT_BYTES / BenchAgent.FLOOD_MESSAGE_BYTES;
        return count == expected && last.equals("completed")
                ? "yes, after " + (accepted >> 10) + " KiB"
                : count + " of " + expected + " messages after resuming, then " + last;
    }

    private String clientBackPressure() throws Exception {
        Call call = open("deaf", Integer.MAX_VALUE);
        ConverseRequest message = audio(BenchAgent.FLOOD_MESSAGE_BYTES);
        within(1_000, call.requests::isReady);
        long accepted = 0;
        while (accepted < BenchAgent.FLOOD_LIMIT_BYTES && within(100, call.requests::isReady)) {
            call.requests.onNext(message);
            accepted += BenchAgent.FLOOD_MESSAGE_BYTES;
        }
        call.requests.cancel("enough", null);
        return accepted < BenchAgent.FLOOD_LIMIT_BYTES
                ? "yes, after " + (accepted >> 10) + " KiB"
                : "no: " + (accepted >> 20) + " MiB accepted for a reader that stopped";
    }

    private String manualRequests() throws Exception {
        Call call = open("echo", 2);
        for (int i = 0; i < 5; i++) {
            call.requests.onNext(audio(3));
        }
        call.next();
        call.next();
        String third = call.poll(500);
        call.requests.request(3);
        call.next();
        call.next();
        String fifth = call.next();
        call.requests.request(10);
        call.requests.onCompleted();
        if (!third.equals("nothing")) {
            return "no: got a message that was not asked for";
        }
        return fifth.startsWith("audio") ? "yes" : fifth;
    }

    private String idleStream() throws Exception {
        Call call = open("echo", Integer.MAX_VALUE);
        call.requests.onNext(audio(3));
        call.next();
        String early = call.poll(idle.toMillis());
        if (!early.equals("nothing")) {
            return early;
        }
        call.requests.onNext(audio(3));
        String answer = call.next();
        call.requests.onCompleted();
        return yesIf(answer, "audio \0\0\0");
    }

    private String serverDeath() throws Exception {
        Call call = open("echo", Integer.MAX_VALUE);
        call.requests.onNext(audio(3));
        call.next();
        peer.close();
        String answer = call.poll(1_000);
        return answer.startsWith("UNAVAILABLE") ? "yes" : "no: " + answer;
    }

    private static String yesIf(String answer, String expected) {
        return answer.equals(expected) ? "yes" : "no: " + answer.replace("\0", "0");
    }

    private String asked(String question) {
        try {
            return peer.ask(question);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean within(long millis, BooleanSupplier condition)
            throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }

    /** The value once it has not moved for 300 ms. */
    private static long settled(LongSupplier value) throws InterruptedException {
        long before = -1;
        for (long now = value.getAsLong(); now != before; now = value.getAsLong()) {
            before = now;
            Thread.sleep(300);
        }
        return before;
    }

    private static ConverseRequest audio(int bytes) {
        return ConverseRequest.newBuilder()
                .setInputAudio(
                        InputAudio.newBuilder().setAudio(ByteString.copyFrom(new byte[bytes])))
                .build();
    }

    private Call open(String model, int initialRequests, ClientInterceptor... interceptors) {
        Call call = new Call(initialRequests);
        VoiceAgentGrpc.newStub(channel).withInterceptors(interceptors).converse(call);
        call.requests.onNext(
                ConverseRequest.newBuilder()
                        .setSessionStart(SessionStart.newBuilder().setModel(model))
                        .build());
        return call;
    }

    /** Keeps what arrives as short texts. */
    private static final class Call
            implements ClientResponseObserver<ConverseRequest, ConverseResponse> {
        private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
        private final int initialRequests;

        @SuppressWarnings("NullAway.Init") // gRPC calls beforeStart before converse returns.
        private ClientCallStreamObserver<ConverseRequest> requests;

        Call(int initialRequests) {
            this.initialRequests = initialRequests;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<ConverseRequest> stream) {
            requests = stream;
            stream.disableAutoRequestWithInitial(initialRequests);
        }

        @Override
        public void onNext(ConverseResponse response) {
            arrived.add("audio " + response.getOutputAudio().getAudio().toStringUtf8());
        }

        @Override
        public void onError(Throwable thrown) {
            Status status = Status.fromThrowable(thrown);
            Metadata trailers = Status.trailersFromThrowable(thrown);
            String detail = trailers == null ? null : trailers.get(BenchAgent.DETAIL);
            arrived.add(status.getCode() + " " + status.getDescription() + " " + detail);
        }

        @Override
        public void onCompleted() {
            arrived.add("completed");
        }

        String next() throws InterruptedException {
            return poll(10_000);
        }

        String poll(long millis) throws InterruptedException {
            String answer = arrived.poll(millis, TimeUnit.MILLISECONDS);
            return answer == null ? "nothing" : answer;
        }
    }
}
