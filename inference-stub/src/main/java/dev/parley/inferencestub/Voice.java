package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.Error;
import dev.parley.proto.inference.v1.Mark;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.Speaker;
import dev.parley.proto.inference.v1.Transcript;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** An agent's voice in one call: the down side of the stream. The conversation's lock guards it. */
final class Voice {
    private final ServerCallStreamObserver<ConverseResponse> stream;
    private final Consumer<ConverseResponse> tap;
    private final LongAdder dropped;

    /**
     * @param tap is shown each message before it is sent
     * @param dropped counts audio that an agent gave up on
     */
    Voice(
            ServerCallStreamObserver<ConverseResponse> stream,
            Consumer<ConverseResponse> tap,
            LongAdder dropped) {
        this.stream = stream;
        this.tap = tap;
        this.dropped = dropped;
    }

    /**
     * Whether the stream takes more without buffering in this process. An agent that sends while
     * this is false grows memory without bound.
     */
    boolean isReady() {
        return stream.isReady();
    }

    /** Queues audio behind what was sent before. */
    void say(ByteString audio, String responseId) {
        send(
                ConverseResponse.newBuilder()
                        .setOutputAudio(
                                OutputAudio.newBuilder().setAudio(audio).setResponseId(responseId))
                        .build());
    }

    /** Takes back what the caller has not heard yet of a response. */
    void clear(String responseId) {
        send(
                ConverseResponse.newBuilder()
                        .setClearAudio(ClearAudio.newBuilder().setResponseId(responseId))
                        .build());
    }

    /** Accepts the call. */
    void ready(Formats formats) {
        send(ConverseResponse.newBuilder().setSessionReady(formats.toReady()).build());
    }

    /** Tells observers what the caller said. */
    void transcribe(String text) {
        transcribe(Transcript.newBuilder().setSpeaker(Speaker.SPEAKER_USER).setText(text));
    }

    /** Tells observers what the agent says in a response. */
    void transcribeAgent(String responseId, String text) {
        transcribe(
                Transcript.newBuilder()
                        .setSpeaker(Speaker.SPEAKER_AGENT)
                        .setText(text)
                        .setResponseId(responseId));
    }

    private void transcribe(Transcript.Builder transcript) {
        send(ConverseResponse.newBuilder().setTranscript(transcript.setFinal(true)).build());
    }

    /** Sends a text message to the client's first data channel. */
    void event(String text) {
        send(
                ConverseResponse.newBuilder()
                        .setServerEvent(ServerEvent.newBuilder().setText(text))
                        .build());
    }

    /** Asks to be told when all that was said before has been sent to the caller. */
    void mark(String name) {
        send(ConverseResponse.newBuilder().setMark(Mark.newBuilder().setName(name)).build());
    }

    /** Tells of a fault that does not end the call. */
    void report(String code, String message) {
        send(
                ConverseResponse.newBuilder()
                        .setError(Error.newBuilder().setCode(code).setMessage(message))
                        .build());
    }

    /** Ends the call once all that was said has been sent to the caller. */
    void hangUp(String message) {
        send(
                ConverseResponse.newBuilder()
                        .setSessionEnd(
                                SessionEnd.newBuilder()
                                        .setReason(EndReason.END_REASON_AGENT_HANGUP)
                                        .setMessage(message))
                        .build());
    }

    void countDropped() {
        dropped.increment();
    }

    void send(ConverseResponse response) {
        tap.accept(response);
        stream.onNext(response);
    }
}
