package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.inferencestub.TestEdge.Call;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EchoAgentTest {
    private final Tape tape = new Tape();
    private final TestEdge edge = new TestEdge(Map.of(), tape);

    @AfterEach
    void closeEdge() {
        edge.close();
    }

    @Test
    void takesOpusBothWays() {
        Call call = edge.start("echo");

        SessionReady ready = call.responses.getFirst().getSessionReady();
        assertThat(ready.getInputFormat()).isEqualTo(WireFormat.OPUS.toProto());
        assertThat(ready.getOutputFormat()).isEqualTo(WireFormat.OPUS.toProto());
    }

    @Test
    void sendsBackTheSameBytes() {
        Call call = edge.start("echo");
        for (int i = 0; i < 5; i++) {
            call.send(packet(i));
            edge.advance(20);
        }

        assertThat(call.responses.subList(1, 6))
                .extracting(response -> response.getOutputAudio().getAudio().byteAt(3))
                .containsExactly((byte) 0, (byte) 1, (byte) 2, (byte) 3, (byte) 4);
        assertThat(call.kinds()).containsExactly("audio echo");
    }

    @Test
    void dropsAndCountsWhatTheEdgeCannotTake() {
        Call call = edge.open(3).start("echo", Map.of());
        for (int i = 0; i < 5; i++) {
            call.send(packet(i));
        }
        call.take(10);
        edge.advance(20);
        call.send(packet(5));

        // SessionReady and two packets were granted; what was then refused is not sent late.
        assertThat(call.responses.subList(1, call.responses.size()))
                .extracting(response -> response.getOutputAudio().getAudio().byteAt(3))
                .containsExactly((byte) 0, (byte) 1, (byte) 5);
        assertThat(edge.count("drops{reason=edge_not_ready}")).isEqualTo(3);
    }

    @Test
    void dropsWhatWouldHaveCallersHearThemselvesLate() {
        Call call = edge.start("echo");
        for (int i = 0; i < 10; i++) {
            call.send(packet(i));
        }
        for (int i = 10; i < 70; i++) {
            edge.advance(20);
            call.send(packet(i));
        }
        long before = edge.count("drops{reason=edge_not_ready}");
        edge.advance(220);
        for (int i = 70; i < 80; i++) {
            call.send(packet(i));
        }

        assertThat(before).as("dropped of a heap at the beginning").isEqualTo(8);
        assertThat(edge.count("drops{reason=edge_not_ready}") - before)
                .as("dropped of a heap later")
                .isEqualTo(6);
    }

    @Test
    void fallsBackToAFormatThatBothSidesHave() {
        WireFormat narrow = WireFormat.of(WireFormat.LINEAR16_24K.toProto());
        Call call =
                edge.open()
                        .send(
                                TestEdge.START
                                        .clone()
                                        .setModel("echo")
                                        .clearOutputFormats()
                                        .addOutputFormats(narrow.toProto()));

        assertThat(call.responses.getFirst().getSessionReady().getInputFormat())
                .isEqualTo(narrow.toProto());
    }

    @Test
    void takesTheFormatThatTheClientsSessionAsksFor() {
        Call call =
                edge.open()
                        .send(
                                TestEdge.START
                                        .clone()
                                        .setModel("echo")
                                        .setSessionJson(
                                                "{\"voice\": \"any\", \"format\": \"linear16\"}"));

        assertThat(call.responses.getFirst().getSessionReady().getInputFormat())
                .isEqualTo(WireFormat.LINEAR16_24K.toProto());
    }

    @Test
    void observerSeesTheCallFromStartToEnd() {
        Call call = edge.start("echo");
        edge.advance(20);
        call.send(packet(7)).sendEnd();

        assertThat(tape.seen)
                .containsExactly(
                        "start echo at 1",
                        "SESSION_READY at 1",
                        "INPUT_AUDIO at 20000001",
                        "OUTPUT_AUDIO at 20000001",
                        "SESSION_END at 20000001",
                        "OK at 20000001");
    }

    @Test
    void observerSeesACancelledCallEnd() {
        edge.start("echo").cancel();

        assertThat(tape.seen).last().isEqualTo("CANCELLED at 1");
        assertThat(edge.count("open_streams")).isZero();
    }

    private static InputAudio.Builder packet(int number) {
        byte[] opus = {(byte) 0xF8, (byte) 0xFF, (byte) 0xFE, (byte) number};
        return InputAudio.newBuilder()
                .setAudio(ByteString.copyFrom(opus))
                .setSequenceNumber(number)
                .setAudioOffsetMs(number * 20L)
                .setNumSamples(960);
    }

    private static final class Tape implements StubObserver {
        private final List<String> seen = new ArrayList<>();

        @Override
        public void onStart(SessionStart start, SessionReady ready, long nanos) {
            seen.add("start " + start.getModel() + " at " + nanos);
        }

        @Override
        public void onRequest(String sessionId, ConverseRequest request, long nanos) {
            seen.add(request.getMessageCase() + " at " + nanos);
        }

        @Override
        public void onResponse(String sessionId, ConverseResponse response, long nanos) {
            seen.add(response.getMessageCase() + " at " + nanos);
        }

        @Override
        public void onEnd(String sessionId, Status status, long nanos) {
            seen.add(status.getCode() + " at " + nanos);
        }
    }
}
