package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two signaling instances and three transceivers as processes: any instance acts on any call,
 * either can be killed, and a transceiver can be drained, without a caller noticing.
 */
class SignalingFleetTest {
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";
    private static final int TRANSCEIVERS = 3;
    private static final int CALLS_AFTER_DRAINING = 40;

    @TempDir private Path folder;
    private final List<ChildProcess> processes = new ArrayList<>();
    private final List<ChildProcess> transceivers = new ArrayList<>();
    private final List<ChildProcess> signalings = new ArrayList<>();
    private final List<URI> bases = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void start() throws IOException {
        ChildProcess stub = service("inference-stub", "grpc_address: 127.0.0.1:0");
        ChildProcess relay =
                service(
                        "relay",
                        """
                        public_addresses: [127.0.0.1:0]
                        upstream_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.0/8]
                        route_keys: {5: %s}
                        """
                                .formatted(ROUTE_KEY));
        List<String> controls = new ArrayList<>();
        for (int i = 0; i < TRANSCEIVERS; i++) {
            transceivers.add(
                    service(
                            "transceiver",
                            """
                            media_address: 127.0.0.1:0
                            control_address: 127.0.0.1:0
                            relay_cidrs: [127.0.0.0/8]
                            route_key_id: 5
                            route_keys: {5: %s}
                            backends: {"*": "%s"}
                            """
                                    .formatted(ROUTE_KEY, address(stub))));
            controls.add('"' + address(transceivers.getLast()) + '"');
        }
        for (int i = 0; i < 2; i++) {
            signalings.add(
                    service(
                            "signaling",
                            """
                            http_address: 127.0.0.1:0
                            transceivers: %s
                            relay_addresses: ["%s"]
                            call_id_key: 0123456789abcdef0123456789abcdef
                            """
                                    .formatted(controls, address(relay))));
            bases.add(URI.create("http://" + address(signalings.getLast())));
        }
    }

    @AfterEach
    void stop() {
        http.close();
        processes.reversed().forEach(ChildProcess::close);
    }

    @Test
    void anyInstanceActsOnAnyCallAndEitherCanDie() throws Exception {
        Wav words = SpeechSample.caller();
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(bases.get(0), "echo")) {
            caller.awaitConnected(Duration.ofSeconds(10));
            URI elsewhere = bases.get(1).resolve(caller.location().getPath());
            assertThat(status("GET", elsewhere)).isEqualTo(200);

            signalings.get(0).kill();
            String answer = caller.restartIce(elsewhere);
            assertThat(line(answer, "a=ice-ufrag:"))
                    .isNotEqualTo(line(caller.answerSdp(), "a=ice-ufrag:"));
            caller.say(words).join();
            caller.listen(Duration.ofSeconds(1));
            assertThat(Correlation.of(words, caller.heard()).score())
                    .isGreaterThan(Correlation.SAME_SPEECH);

            assertThat(status("DELETE", elsewhere)).isEqualTo(200);
            caller.awaitDisconnected(Duration.ofSeconds(10));
            assertThat(status("DELETE", elsewhere)).isEqualTo(404);
        }
    }

    private static String line(String sdp, String start) {
        return sdp.lines().filter(line -> line.startsWith(start)).findFirst().orElseThrow();
    }

    @Test
    void noCallFailsWhileATransceiverDrains() throws Exception {
        Map<Integer, LongAdder> statuses = new ConcurrentHashMap<>();
        AtomicBoolean enough = new AtomicBoolean();
        LongAdder made = new LongAdder();
        List<Thread> callers = new ArrayList<>();
        try (LibwebrtcCaller model = LibwebrtcCaller.call(bases.get(0), "echo")) {
            String offer = model.offerSdp();
            for (URI base : bases) {
                callers.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            while (!enough.get()) {
                                                callAndHangUp(base, offer, statuses);
                                                made.increment();
                                            }
                                        }));
            }
            while (made.sum() < 10) {
                Thread.onSpinWait();
            }
            transceivers.get(1).terminate();
            long before = made.sum();
            while (made.sum() < before + CALLS_AFTER_DRAINING) {
                Thread.onSpinWait();
            }
            enough.set(true);
            for (Thread caller : callers) {
                caller.join();
            }
        }
        Map<Integer, Long> sums = new HashMap<>();
        statuses.forEach((status, number) -> sums.put(status, number.sum()));
        System.out.println("calls while one of three transceivers drained: " + sums);
        assertThat(sums).containsOnlyKeys(201, 200);
    }

    private void callAndHangUp(URI base, String offer, Map<Integer, LongAdder> statuses) {
        try {
            HttpResponse<String> created =
                    http.send(
                            HttpRequest.newBuilder(base.resolve("/v1/realtime/calls?model=echo"))
                                    .header("Content-Type", "application/sdp")
                                    .timeout(Duration.ofSeconds(20))
                                    .POST(BodyPublishers.ofString(offer))
                                    .build(),
                            BodyHandlers.ofString());
            count(statuses, created.statusCode());
            created.headers()
                    .firstValue("Location")
                    .ifPresent(call -> count(statuses, status("DELETE", base.resolve(call))));
        } catch (IOException e) {
            count(statuses, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void count(Map<Integer, LongAdder> statuses, int status) {
        statuses.computeIfAbsent(status, _ -> new LongAdder()).increment();
    }

    private int status(String method, URI uri) {
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .timeout(Duration.ofSeconds(20))
                        .method(method, BodyPublishers.noBody())
                        .build();
        try {
            return http.send(request, BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    private ChildProcess service(String name, String yaml) throws IOException {
        Path file = folder.resolve(name + processes.size() + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(List.of(), name, "--config", file.toString());
        processes.add(process);
        process.awaitReady();
        return process;
    }

    /** From the line "ready NAME ADDRESS". */
    private static String address(ChildProcess process) {
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
