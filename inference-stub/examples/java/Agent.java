import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.*;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.*;
import java.nio.*;
import java.util.concurrent.*;

/**
 * A voice agent for Parley: listens, answers each utterance with beeps and an event, stops when interrupted.
 * Your model goes where {@code answer} is. After ./parley build it runs as it is:
 * java -cp "app/target/lib/*" inference-stub/examples/java/Agent.java 50051
 */
public final class Agent extends VoiceAgentGrpc.VoiceAgentImplBase {
    static final int RATE_HZ = 16_000;
    static final double SPEECH_RMS = 700; // of 32,768; a product would use a model
    static final int START_MS = 60; // so much loud audio is speech, less was a click
    static final int STOP_MS = 500; // so much quiet ends an utterance
    static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());
    static final AudioFormat FORMAT = AudioFormat.newBuilder()
            .setEncoding(AudioEncoding.AUDIO_ENCODING_LINEAR16).setSampleRateHz(RATE_HZ).build();

    public static void main(String[] args) throws Exception {
        Server server = NettyServerBuilder.forPort(Integer.parseInt(args[0]))
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .permitKeepAliveTime(10, TimeUnit.SECONDS)
                .addService(new Agent()).build().start();
        System.out.println("ready " + server.getPort());
        server.awaitTermination();
    }

    @Override
    public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> out) {
        return new Call((ServerCallStreamObserver<ConverseResponse>) out);
    }

    /** One caller. Its messages come one by one; answers are said by a thread of their own. */
    static final class Call implements StreamObserver<ConverseRequest> {
        final ServerCallStreamObserver<ConverseResponse> out;
        long heardMs; // where the next audio is expected on the caller's clock
        boolean speaking, over;
        int loudMs, quietMs, utteranceMs, responses;
        String playing = ""; // the response that the caller may still be hearing
        Thread answering = new Thread();
        Future<?> silence = CompletableFuture.completedFuture(null);

        Call(ServerCallStreamObserver<ConverseResponse> out) {
            this.out = out;
            out.setOnReadyHandler(this::wake); // write only while the edge reads
            out.setOnCancelHandler(() -> onError(null));
        }

        @Override
        public void onNext(ConverseRequest request) {
            switch (request.getMessageCase()) {
                case SESSION_START -> send(message().setSessionReady(
                        SessionReady.newBuilder().setInputFormat(FORMAT).setOutputFormat(FORMAT)));
                case INPUT_AUDIO -> hear(request.getInputAudio());
                case PLAYBACK_STOPPED ->
                    playing = playing.equals(request.getPlaybackStopped().getResponseId()) ? "" : playing;
                case PLAYBACK_CLEARED ->
                    System.out.println("interrupted after " + request.getPlaybackCleared().getAudioEndMs() + " ms");
                case CLIENT_EVENT -> event(request.getClientEvent().getText());
                case MESSAGE_REJECTED -> System.err.println(request.getMessageRejected());
                default -> {} // all of them may be ignored
            }
        }

        synchronized void hear(InputAudio audio) {
            // In silence the caller's side may send nothing: the offsets tell of it afterwards, a timer meanwhile.
            silence.cancel(false);
            silence = TIMER.schedule(() -> quiet(STOP_MS), STOP_MS, TimeUnit.MILLISECONDS);
            quiet((int) Math.min(audio.getAudioOffsetMs() - heardMs, STOP_MS));
            ShortBuffer samples = audio.getAudio().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
            int count = samples.remaining();
            heardMs = audio.getAudioOffsetMs() + count * 1000 / RATE_HZ;
            double energy = 0;
            while (samples.hasRemaining()) energy += Math.pow(samples.get(), 2);
            if (Math.sqrt(energy / count) > SPEECH_RMS) loud(count * 1000 / RATE_HZ);
            else quiet(count * 1000 / RATE_HZ);
        }

        void loud(int ms) {
            loudMs += ms;
            utteranceMs += ms;
            quietMs = 0;
            if (speaking || loudMs < START_MS) return;
            speaking = true;
            utteranceMs = loudMs;
            answering.interrupt();
            if (!playing.isEmpty()) send(message().setClearAudio(ClearAudio.newBuilder().setResponseId(playing)));
            playing = "";
        }

        synchronized void quiet(int ms) {
            quietMs += ms;
            if (quietMs >= 100) loudMs = 0;
            if (over || !speaking || quietMs < STOP_MS) return;
            speaking = false;
            String response = playing = "answer-" + ++responses;
            int said = utteranceMs;
            answering = Thread.ofVirtual().start(() -> answer(response, said));
        }

        void answer(String response, int said) {
            event("{\"type\": \"heard\", \"ms\": " + said + "}");
            for (int i = 0; i <= said / 1000 * 2 + 1; i++) { // a beep and a pause for each second begun
                ByteString audio = i % 2 == 0 ? tone(300, 8_000) : tone(200, 0);
                if (!awaitReady()) return; // faster than real time otherwise: the edge paces it
                send(message().setOutputAudio(OutputAudio.newBuilder().setAudio(audio).setResponseId(response)));
            }
        }

        synchronized boolean awaitReady() {
            try {
                while (!out.isReady()) wait();
                return !Thread.interrupted();
            } catch (InterruptedException e) {
                return false;
            }
        }
        synchronized void wake() { notifyAll(); }
        void event(String text) { send(message().setServerEvent(ServerEvent.newBuilder().setText(text))); }
        synchronized void send(ConverseResponse.Builder message) { // a stream takes one write at a time
            if (!over) out.onNext(message.build());
        }
        static ConverseResponse.Builder message() { return ConverseResponse.newBuilder(); }
        static ByteString tone(int ms, int amplitude) {
            ByteBuffer samples = ByteBuffer.allocate(RATE_HZ * ms / 1000 * 2).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; samples.hasRemaining(); i++) {
                samples.putShort((short) (amplitude * Math.sin(2 * Math.PI * 660 * i / RATE_HZ)));
            }
            return ByteString.copyFrom(samples.flip());
        }

        @Override
        public void onCompleted() { // SessionEnd has come and the edge has half-closed
            onError(null);
            out.onCompleted();
        }

        @Override
        public synchronized void onError(Throwable broken) { // the call is gone, or goes on with another replica
            over = true;
            silence.cancel(false);
            answering.interrupt();
        }
    }
}
