package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.ChromiumCall;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.telemetry.FaultyCollector;
import dev.parley.e2e.telemetry.OtlpReceiver;
import dev.parley.e2e.telemetry.ReceivedSpan;
import dev.parley.e2e.telemetry.TraceTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call through four processes is one trace at the collector, and tells what befell it. */
class TraceTest {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);
    private static final String LOST_STREAM =
            "parley-transceiver: parley.inference.v1.VoiceAgent/Converse";
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    @TempDir private Path folder;

    private static String exportingTo(String endpoint) {
        return "otlp_endpoint: " + endpoint + "\n";
    }

    private static void stop(FourProcesses services) {
        for (ChildProcess process : services.all()) {
            process.terminate();
            assertThat(process.awaitExit()).as(String.join("\n", process.output())).isZero();
        }
    }

    /** The spans of the one call that there was, each of which has its place in the tree. */
    private static List<ReceivedSpan> onlyTrace(OtlpReceiver collector) {
        List<ReceivedSpan> spans = List.copyOf(collector.spans());
        Set<String> ids = spans.stream().map(ReceivedSpan::traceId).collect(Collectors.toSet());
        assertThat(ids).hasSize(1);
        assertThat(TraceTree.of(spans)).as("every span has its place").hasSameSizeAs(spans);
        return spans;
    }

    @Test
    void aBrowsersCallThroughFourProcessesIsOneTreeOfSpans() {
        try (OtlpReceiver collector = OtlpReceiver.overGrpc();
                FourProcesses services =
                        FourProcesses.start(folder, exportingTo(collector.endpoint()))) {
            try (Chromium chromium = Chromium.withMicrophone(folder, SpeechSample.caller());
                    Page page = chromium.openPage(services.base().toString(), 800, 600)) {
                ChromiumCall.Placed call = ChromiumCall.place(page, "echo").stay(3);
                assertThat(call.restartIce().has("answer")).isTrue();
                assertThat(call.stay(1).finish().hangupStatus()).isEqualTo(200);
            }
            stop(services);

            List<ReceivedSpan> spans = onlyTrace(collector);
            String id = spans.getFirst().traceId();
            assertThat(linesAbout(id, services)).as("the trace id is the session id").isNotEmpty();
            assertThat(collector.examples())
                    .as("the times of a call lead to its trace")
                    .anyMatch(
                            each ->
                                    each.metric().equals("parley.call.setup.duration")
                                            && each.traceId().equals(id))
                    .anyMatch(
                            each ->
                                    each.metric().equals("http.server.request.duration")
                                            && each.traceId().equals(id));
            assertThat(TraceTree.of(spans).stream().distinct())
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
                            "        parley-signaling: PATCH /v1/realtime/calls/{id}",
                            "          parley-signaling:"
                                    + " parley.control.v1.Transceiver/UpdateSession",
                            "            parley-transceiver:"
                                    + " parley.control.v1.Transceiver/UpdateSession",
                            "        parley-transceiver: parley.dtls",
                            "        parley-transceiver: parley.first_audio_down",
                            "        parley-transceiver: parley.first_audio_up",
                            "        parley-transceiver: parley.ice",
                            "        parley-transceiver: parley.inference.v1.VoiceAgent/Converse",
                            "          parley-inference-stub:"
                                    + " parley.inference.v1.VoiceAgent/Converse",
                            "        parley-transceiver: parley.response",
                            "        parley-transceiver: parley.setup");
            assertThat(named(spans, "parley.call").events())
                    .contains("parley.path.selected", "parley.ice.restart");
        }
    }

    private static List<String> linesAbout(String id, FourProcesses services) {
        return services.all().stream()
                .flatMap(process -> process.output().stream())
                .filter(line -> line.contains(id))
                .toList();
    }

    private static ReceivedSpan named(List<ReceivedSpan> spans, String name) {
        return spans.stream()
                .filter(each -> each.span().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anInterruptionAKilledRelayAndAKilledModelAreInTheStory() {
        try (OtlpReceiver collector = OtlpReceiver.overGrpc();
                FourProcesses services =
                        FourProcesses.startWithSpare(folder, exportingTo(collector.endpoint()))) {
            try (LibwebrtcCaller caller = LibwebrtcCaller.call(services.base(), "parrot")) {
                var _ = caller.awaitConnected(CONNECT_TIMEOUT);
                untilTold(
                        collector,
                        () -> {
                            caller.say(SpeechSample.sentence()).join();
                            caller.listen(Duration.ofSeconds(1));
                        },
                        span -> span.events().contains("parley.barge_in"));

                untilTold(
                        collector,
                        () -> caller.listen(LOOK),
                        span -> flowCause(span).equals(Optional.of("new")));

                // Whichever comes first has it taken up: a packet down, or the client's check,
                // to which it is new.
                untilTold(
                        collector,
                        () -> {
                            long before = flowCauses(collector.spans()).size();
                            services.killAndStart("relay");
                            untilTold(
                                    collector,
                                    () -> caller.listen(LOOK),
                                    _ -> flowCauses(collector.spans()).size() > before);
                        },
                        span -> flowCause(span).equals(Optional.of("recovered")));

                // One of the two has the call; the other one may be asked for it in turn.
                services.killAndStart(FourProcesses.STUB);
                caller.listen(Duration.ofSeconds(1));
                services.killAndStart(FourProcesses.SPARE_STUB);
                untilTold(
                        collector,
                        () -> caller.listen(LOOK),
                        span -> span.title().equals(LOST_STREAM) && span.isError());
                caller.listen(Duration.ofSeconds(2));
                assertThat(caller.hangUp()).isEqualTo(200);
            }
            stop(services);

            List<ReceivedSpan> spans = onlyTrace(collector);
            System.out.println(String.join("\n", TraceTree.of(spans)));
            String id = spans.getFirst().traceId();
            assertThat(linesAbout(id, services))
                    .anyMatch(line -> line.contains("another one is looked for"))
                    .allMatch(line -> line.contains("session=" + id));
            assertThat(named(spans, "parley.call").events())
                    .containsSubsequence("parley.inference.lost", "parley.inference.resumed");
            assertThat(flowCauses(spans)).startsWith("new").contains("recovered");
        }
    }

    private static List<String> flowCauses(Collection<ReceivedSpan> spans) {
        return spans.stream().map(TraceTest::flowCause).flatMap(Optional::stream).toList();
    }

    private static Optional<String> flowCause(ReceivedSpan span) {
        return span.attribute("parley.flow.cause").map(value -> value.getStringValue());
    }

    private static void untilTold(
            OtlpReceiver collector, Runnable meanwhile, Predicate<ReceivedSpan> told) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (collector.spans().stream().noneMatch(told)) {
            assertThat(end - System.nanoTime())
                    .as(() -> "told in time; so far:\n" + collector.spans())
                    .isPositive();
            meanwhile.run();
        }
    }

    @Test
    void aCollectorThatNeverAnswersIsNoticedByNobodyElse() {
        try (FaultyCollector collector = FaultyCollector.with(FaultyCollector.Fault.SILENT);
                FourProcesses services =
                        FourProcesses.start(folder, exportingTo(collector.endpoint()))) {
            try (LibwebrtcCaller caller = LibwebrtcCaller.call(services.base(), "echo")) {
                var _ = caller.awaitConnected(CONNECT_TIMEOUT);
                caller.say(SpeechSample.sentence()).join();
                assertThat(caller.stats().packetsLost()).isZero();
                assertThat(caller.hangUp()).isEqualTo(200);
            }
            stop(services);
        }
    }
}
