package dev.parley.e2e.drill;

import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.Wav;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code kill -9} of the inference service in the middle of what it says, an echo of the caller's
 * tone, of which nothing is queued: how long the caller hears nothing while a second replica goes
 * on, and that the call ends with a reason when there is none.
 */
final class InferenceKill implements Drill {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";
    private static final double MAX_SILENCE_MILLIS = 1_000;
    private static final int RECONNECT_SECONDS = 3;

    /** Reconnecting, a farewell, and time to see it. */
    private static final double MAX_END_MILLIS = RECONNECT_SECONDS * 1_000.0 + 1_000;

    private static final int WINDOW_MILLIS = 10;
    private static final int AUDIBLE = 500;
    private static final long LOOK_MILLIS = 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final Pattern GOES_ON = Pattern.compile("goes on with .* after (\\d+) ms");

    private final List<ChildProcess> started = new ArrayList<>();

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        int firstPort = FreePorts.next();
        int secondPort = FreePorts.next();
        try {
            ChildProcess first = stub(folder, firstPort);
            ChildProcess second = stub(folder, secondPort);
            URI base = edge(folder, firstPort, secondPort);
            ChildProcess transceiver = started.get(2);
            try (LibwebrtcCaller caller = LibwebrtcCaller.call(base, "echo")) {
                caller.awaitConnected(CONNECT_TIMEOUT);
                caller.listen(Duration.ofSeconds(2));
                // Whoever of the two had the call, it is with the second after this.
                first.kill();
                caller.listen(Duration.ofSeconds(1));
                ChildProcess third = stub(folder, firstPort);
                caller.listen(Duration.ofSeconds(2));
                kill(caller, second, report);
                report.tell(
                        "with a replica: the edge has another stream after",
                        reconnectMillis(transceiver),
                        "ms");
                end(caller, third, report);
            }
        } finally {
            started.reversed().forEach(ChildProcess::close);
        }
    }

    private static void kill(LibwebrtcCaller caller, ChildProcess victim, DrillReport report) {
        CompletableFuture<Void> said = caller.say(tone(Duration.ofSeconds(6)));
        sleep(Duration.ofSeconds(2));
        int before = caller.heard().samples().length;
        victim.kill();
        sleep(Duration.ofSeconds(3));
        Wav heard = caller.heard();
        said.join();
        report.within(
                "with a replica: longest silence", silence(heard, before), MAX_SILENCE_MILLIS);
        int last = heard.samples().length - heard.sampleRateHz() / 2;
        report.require("with a replica: the agent is heard again", silence(heard, last) < 250);
    }

    private static Wav tone(Duration length) {
        int rateHz = 16_000;
        short[] samples = new short[(int) (length.toMillis() * rateHz / 1_000)];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) (8_000 * Math.sin(2 * Math.PI * 440 * i / rateHz));
        }
        return new Wav(rateHz, samples);
    }

    private static void sleep(Duration length) {
        LockSupport.parkNanos(length.toNanos());
    }

    /** From the transceiver's log; -1 when it says nothing of it. */
    private static double reconnectMillis(ChildProcess transceiver) {
        double latest = -1;
        for (String line : transceiver.output()) {
            Matcher told = GOES_ON.matcher(line);
            if (told.find()) {
                latest = Double.parseDouble(told.group(1));
            }
        }
        return latest;
    }

    /** The longest time, in milliseconds, in which nothing can be heard from a sample on. */
    private static double silence(Wav heard, int from) {
        short[] samples = heard.samples();
        int window = heard.sampleRateHz() * WINDOW_MILLIS / 1_000;
        int longest = 0;
        int silent = 0;
        for (int at = from; at + window <= samples.length; at += window) {
            int peak = 0;
            for (int i = at; i < at + window; i++) {
                peak = Math.max(peak, Math.abs(samples[i]));
            }
            silent = peak < AUDIBLE ? silent + 1 : 0;
            longest = Math.max(longest, silent);
        }
        return longest * WINDOW_MILLIS;
    }

    private static void end(LibwebrtcCaller caller, ChildProcess last, DrillReport report)
            throws IOException, InterruptedException {
        long killed = System.nanoTime();
        last.kill();
        String described = describe(caller.location());
        while (!described.contains("inference_failed")
                && System.nanoTime() - killed < PATIENCE_NANOS) {
            caller.listen(Duration.ofMillis(LOOK_MILLIS));
            described = describe(caller.location());
        }
        report.within(
                "without a replica: the call ends after",
                (System.nanoTime() - killed) / 1e6,
                MAX_END_MILLIS);
        report.require(
                "without a replica: with its reason", described.contains("inference_failed"));
        caller.awaitDisconnected(CONNECT_TIMEOUT);
    }

    private static String describe(URI call) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(call).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .toLowerCase(Locale.ROOT);
        }
    }

    private ChildProcess stub(Path folder, int port) throws IOException {
        ChildProcess stub =
                start(folder, "inference-stub", port, "grpc_address: 127.0.0.1:" + port);
        var _ = stub.awaitReady();
        return stub;
    }

    private URI edge(Path folder, int firstPort, int secondPort) throws IOException {
        String transceiver =
                service(
                        folder,
                        "transceiver",
                        """
                        media_address: 127.0.0.1:0
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.0/8]
                        route_key_id: 5
                        route_keys: {5: %s}
                        reconnect_timeout: %ds
                        backends: {"*": [127.0.0.1:%d, 127.0.0.1:%d]}
                        """
                                .formatted(ROUTE_KEY, RECONNECT_SECONDS, firstPort, secondPort));
        String relay =
                service(
                        folder,
                        "relay",
                        """
                        public_addresses: ["127.0.0.1:0"]
                        upstream_address: 127.0.0.1:0
                        health_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.0/8]
                        route_keys: {5: %s}
                        """
                                .formatted(ROUTE_KEY));
        String signaling =
                service(
                        folder,
                        "signaling",
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        """
                                .formatted(transceiver, relay));
        return URI.create("http://" + signaling);
    }

    private String service(Path folder, String name, String yaml) throws IOException {
        String line = start(folder, name, 0, yaml).awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    private ChildProcess start(Path folder, String name, int number, String yaml)
            throws IOException {
        Path file = folder.resolve(name + number + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(name, "--config", file.toString());
        started.add(process);
        return process;
    }
}
