package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.Error;
import dev.parley.proto.inference.v1.FunctionCall;
import dev.parley.proto.inference.v1.Handover;
import dev.parley.proto.inference.v1.Mark;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.OutputText;
import dev.parley.proto.inference.v1.ResponseDone;
import dev.parley.proto.inference.v1.ResponseStarted;
import dev.parley.proto.inference.v1.ResponseStatus;
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
    private boolean realtime;
    private String begun = "";

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

    /** Begins a response, where the client sees such things; once for each in a row is enough. */
    void begin(String responseId) {
        if (realtime && !begun.equals(responseId)) {
            begun = responseId;
            send(
                    ConverseResponse.newBuilder()
                            .setResponseStarted(
                                    ResponseStarted.newBuilder().setResponseId(responseId))
                            .build());
        }
    }

    /** Ends a response, where the client sees such things, if it was begun. */
    void done(String responseId, ResponseStatus status) {
        if (realtime && !responseId.isEmpty() && begun.equals(responseId)) {
            begun = "";
            end(responseId, status);
        }
    }

    /** Answers what cannot be answered with a response that is empty. */
    void sayNothing(String responseId) {
        if (realtime) {
            end(responseId, ResponseStatus.RESPONSE_STATUS_COMPLETED);
        }
    }

    private void end(String responseId, ResponseStatus status) {
        send(
                ConverseResponse.newBuilder()
                        .setResponseDone(
                                ResponseDone.newBuilder()
                                        .setResponseId(responseId)
                                        .setStatus(status))
                        .build());
    }

    /** Asks the edge to have another replica go on with the call. */
    void handOver() {
        send(ConverseResponse.newBuilder().setHandover(Handover.getDefaultInstance()).build());
    }

    /** Has the client call one of its tools. */
    void call(String responseId, String callId, String tool, String arguments) {
        begin(responseId);
        send(
                ConverseResponse.newBuilder()
                        .setFunctionCall(
                                FunctionCall.newBuilder()
                                        .setResponseId(responseId)
                                        .setCallId(callId)
                                        .setName(tool)
                                        .setArguments(arguments))
                        .build());
    }

    /** Answers in writing. */
    void write(String responseId, String text) {
        begin(responseId);
        send(
                ConverseResponse.newBuilder()
                        .setOutputText(
                                OutputText.newBuilder().setResponseId(responseId).setText(text))
                        .build());
    }

    /** Queues audio behind what was sent before. */
    void say(ByteString audio, String responseId) {
        begin(responseId);
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
        realtime = formats.realtime();
        send(ConverseResponse.newBuilder().setSessionReady(formats.toReady()).build());
    }

    /** Tells what the caller said, in an item of the conversation if it has a name. */
    void transcribe(String itemId, String text) {
        transcribe(
                Transcript.newBuilder()
                        .setSpeaker(Speaker.SPEAKER_USER)
                        .setItemId(itemId)
                        .setText(text));
    }

    /** Tells what the agent says in a response. */
    void transcribeAgent(String responseId, String text) {
        begin(responseId);
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
