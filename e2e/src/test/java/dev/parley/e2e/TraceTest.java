package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.telemetry.OtlpReceiver;
import dev.parley.e2e.telemetry.ReceivedSpan;
import dev.parley.e2e.telemetry.TraceTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call through four processes is one trace at the collector. */
class TraceTest {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @Test
    void aCallThroughFourProcessesIsOneTreeOfSpans() {
        try (OtlpReceiver collector = new OtlpReceiver();
                FourProcesses services =
                        FourProcesses.start(
                                folder, "otlp_endpoint: " + collector.endpoint() + "\n")) {
            try (LibwebrtcCaller caller = LibwebrtcCaller.call(services.base(), "echo")) {
                var _ = caller.awaitConnected(CONNECT_TIMEOUT);
                caller.say(SpeechSample.caller()).join();
                assertThat(caller.hangUp()).isEqualTo(200);
            }
            for (ChildProcess process : services.all()) {
                process.terminate();
                assertThat(process.awaitExit()).as(String.join("\n", process.output())).isZero();
            }

            List<ReceivedSpan> spans = List.copyOf(collector.spans());
            Set<String> ids = spans.stream().map(ReceivedSpan::traceId).collect(Collectors.toSet());
            assertThat(ids).hasSize(1);
            assertThat(services.all().stream().flatMap(process -> process.output().stream()))
                    .as("the trace id is the session id")
                    .anyMatch(line -> line.contains("session=" + ids.iterator().next()));
            List<String> tree = TraceTree.of(spans);
            assertThat(tree).as("every span has its place").hasSameSizeAs(spans);
            assertThat(tree.stream().distinct())
                    .containsExactly(
                            "parley-signaling: POST /v1/realtime/calls",
                            "  parley-signaling: parley.control.v1.Transceiver/CreateSession",
                            "    parley-transceiver: parley.control.v1.Transceiver/CreateSession",
                            "      parley-transceiver: parley.call",
                            "        parley-relay: parley.relay.flow",
                            "        parley-signaling: DELETE /v1/realtime/calls/{id}",
                            "          parley-signaling: parley.control.v1.Transceiver/CloseSession",
                            "            parley-transceiver:"
                                    + " parley.control.v1.Transceiver/CloseSession",
                            "        parley-transceiver: parley.dtls",
                            "        parley-transceiver: parley.first_audio_down",
                            "        parley-transceiver: parley.first_audio_up",
                            "        parley-transceiver: parley.ice",
                            "        parley-transceiver: parley.inference.v1.VoiceAgent/Converse",
                            "          parley-inference-stub:"
                                    + " parley.inference.v1.VoiceAgent/Converse",
                            "        parley-transceiver: parley.response",
                            "        parley-transceiver: parley.setup");
        }
    }
}
