package dev.parley.bench.grpc;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Keeps echo streams open and sends 50 messages a second on each, as a media loop would: one
 * thread, an absolute schedule, the streams spread evenly over the 20 ms.
 */
final class EchoLoad {
    static final long FRAME_NANOS = 20_000_000;
    private static final int AUDIO_BYTES = 100;

    /** gRPC's prefix of a message and HTTP/2's of a frame. */
    private static final int FRAMING_BYTES = 5 + 9;

    private final List<Stream> streams = new ArrayList<>();
    private final CountDownLatch ended;
    private final Recorder roundTrips = new Recorder(TimeUnit.SECONDS.toNanos(100), 3);
    private final Histogram sends = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);
    private long sent;
    private long bytes;

    private EchoLoad(int count) {
        ended = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            streams.add(new Stream());
        }
    }

    /** A load that sends to nobody: what the sender itself costs. */
    static EchoLoad toNobody(int count) {
        return new EchoLoad(count);
    }

    static EchoLoad over(Channel channel, int count) {
        EchoLoad load = new EchoLoad(count);
        VoiceAgentGrpc.VoiceAgentStub stub = VoiceAgentGrpc.newStub(channel);
        ConverseRequest start =
                ConverseRequest.newBuilder()
                        .setSessionStart(SessionStart.newBuilder().setModel("echo"))
                        .build();
        for (Stream stream : load.streams) {
            stream.requests = stub.converse(stream);
            stream.requests.onNext(start);
        }
        return load;
    }

    /** What came of a run. */
    record Outcome(long sent, long bytes, Histogram roundTrips, Histogram sends) {}

    Outcome run(long nanos) {
        roundTrips.getIntervalHistogram();
        sends.reset();
        long spacing = FRAME_NANOS / streams.size();
        long begin = System.nanoTime();
        long slots = nanos / spacing;
        long before = sent;
        long bytesBefore = bytes;
        for (long slot = 0; slot < slots; slot++) {
            long due = begin + slot * spacing;
            for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            streams.get((int) (slot % streams.size())).send();
            sent++;
        }
        return new Outcome(
                sent - before,
                bytes - bytesBefore,
                roundTrips.getIntervalHistogram(),
                sends.copy());
    }

    /** Half-closes all streams; answers what went wrong, or an empty string. */
    String finish() throws InterruptedException {
        streams.forEach(stream -> stream.requests.onCompleted());
        if (!ended.await(10, TimeUnit.SECONDS)) {
            return ended.getCount() + " streams did not end";
        }
        long expected = 0;
        long received = 0;
        for (Stream stream : streams) {
            if (!stream.fault.isEmpty()) {
                return stream.fault;
            }
            expected += stream.sequence;
            received += stream.received;
        }
        // Each stream says its last words after the half-close.
        expected += streams.size();
        return received == expected ? "" : received + " of " + expected + " arrived";
    }

    private final class Stream implements StreamObserver<ConverseResponse> {
        private StreamObserver<ConverseRequest> requests = new Nowhere();
        private long sequence;
        private volatile long received;
        private volatile String fault = "";

        void send() {
            byte[] audio = new byte[AUDIO_BYTES];
            long now = System.nanoTime();
            ByteBuffer.wrap(audio).putLong(now).putLong(sequence);
            ConverseRequest message =
                    ConverseRequest.newBuilder()
                            .setInputAudio(
                                    InputAudio.newBuilder()
                                            .setAudio(ByteString.copyFrom(audio))
                                            .setSequenceNumber(sequence)
                                            .setAudioOffsetMs(sequence * 20)
                                            .setNumSamples(960)
                                            .setAudioLevelDbov(-30)
                                            .setVoiceActivity(true))
                            .build();
            requests.onNext(message);
            bytes += message.getSerializedSize() + FRAMING_BYTES;
            sends.recordValue(System.nanoTime() - now);
            sequence++;
        }

        @Override
        public void onNext(ConverseResponse response) {
            long due = received;
            ByteBuffer audio = response.getOutputAudio().getAudio().asReadOnlyByteBuffer();
            if (audio.remaining() == AUDIO_BYTES) {
                roundTrips.recordValue(System.nanoTime() - audio.getLong());
                long number = audio.getLong();
                if (number != due) {
                    fault = "message " + number + " came when " + due + " was due";
                }
            }
            received = due + 1;
        }

        @Override
        public void onError(Throwable thrown) {
            fault = thrown.toString();
            ended.countDown();
        }

        @Override
        public void onCompleted() {
            ended.countDown();
        }
    }

    private static final class Nowhere implements StreamObserver<ConverseRequest> {
        @Override
        public void onNext(ConverseRequest request) {}

        @Override
        public void onError(Throwable thrown) {}

        @Override
        public void onCompleted() {}
    }
}
