package dev.parley.e2e;

import dev.parley.e2e.client.Wav;
import dev.parley.inferencestub.StubObserver;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Keeps what reaches the inference stub, call by call. */
final class StubRecorder implements StubObserver {
    private final Map<String, Call> calls = new ConcurrentHashMap<>();

    /**
     * One call as the stub saw it; written by its stream's thread, to be read once it has ended.
     */
    static final class Call {
        private final SessionReady ready;
        private final ByteArrayOutputStream audio = new ByteArrayOutputStream();
        private final CompletableFuture<Long> firstAudioNanos = new CompletableFuture<>();
        private final BlockingQueue<CallMedia> mediaChanges = new LinkedBlockingQueue<>();
        private final CompletableFuture<EndReason> endReason = new CompletableFuture<>();
        private final CompletableFuture<Status> ended = new CompletableFuture<>();
        private long messages;
        private long gaps;
        private long nextSequence;
        private long concealedSamples;
        private long backwardSteps;
        private long lastOffsetMillis;

        private Call(SessionReady ready) {
            this.ready = ready;
        }

        private void add(InputAudio input, long nanos) {
            firstAudioNanos.complete(nanos);
            messages++;
            gaps += input.getSequenceNumber() == nextSequence ? 0 : 1;
            nextSequence = input.getSequenceNumber() + 1;
            concealedSamples += input.getConcealedSamples();
            backwardSteps += input.getAudioOffsetMs() < lastOffsetMillis ? 1 : 0;
            lastOffsetMillis = input.getAudioOffsetMs();
            audio.writeBytes(input.getAudio().toByteArray());
        }

        /** When the first audio came, on {@link System#nanoTime}'s clock. */
        CompletableFuture<Long> firstAudioNanos() {
            return firstAudioNanos;
        }

        /** What the edge says of holding and resuming, as it comes. */
        BlockingQueue<CallMedia> mediaChanges() {
            return mediaChanges;
        }

        /** Why the edge says the call ended. */
        CompletableFuture<EndReason> endReason() {
            return endReason;
        }

        /** The end of the stream. */
        CompletableFuture<Status> ended() {
            return ended;
        }

        long messages() {
            return messages;
        }

        /** Messages that the edge dropped before the stub, by the sequence numbers. */
        long gaps() {
            return gaps;
        }

        /** Samples that the edge made up. */
        long concealedSamples() {
            return concealedSamples;
        }

        /** Messages whose offset was before their predecessor's. */
        long backwardSteps() {
            return backwardSteps;
        }

        /** All audio received, which must have been PCM. */
        Wav heard() {
            if (ready.getInputFormat().getEncoding() != AudioEncoding.AUDIO_ENCODING_LINEAR16) {
                throw new IllegalStateException("the call's audio is not PCM: " + ready);
            }
            short[] samples = new short[audio.size() / 2];
            ByteBuffer.wrap(audio.toByteArray())
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asShortBuffer()
                    .get(samples);
            return new Wav(ready.getInputFormat().getSampleRateHz(), samples);
        }
    }

    /** The only call so far whose end nobody waited for yet; fails if there is none or several. */
    Call only() {
        if (calls.size() != 1) {
            throw new IllegalStateException(calls.size() + " calls instead of one");
        }
        return calls.values().iterator().next();
    }

    void forget() {
        calls.clear();
    }

    @Override
    public void onStart(SessionStart start, SessionReady ready, long nanos) {
        calls.put(start.getSessionId(), new Call(ready));
    }

    @Override
    public void onRequest(String sessionId, ConverseRequest request, long nanos) {
        Call call = calls.get(sessionId);
        if (call == null) {
            return;
        }
        switch (request.getMessageCase()) {
            case INPUT_AUDIO -> call.add(request.getInputAudio(), nanos);
            case MEDIA_CHANGED -> call.mediaChanges.add(request.getMediaChanged());
            case SESSION_END -> call.endReason.complete(request.getSessionEnd().getReason());
            default -> {
                // Nothing that these tests look at.
            }
        }
    }

    @Override
    public void onEnd(String sessionId, Status status, long nanos) {
        Call call = calls.get(sessionId);
        if (call != null) {
            call.ended.complete(status);
        }
    }
}
