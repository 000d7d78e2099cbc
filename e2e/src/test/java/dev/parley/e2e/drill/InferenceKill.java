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
    private static final double MAX_SILENCE_MILLIS = 1_000;
    private static final int RECONNECT_SECONDS = 3;

    /** Reconnecting, a farewell, and time to see it. */
    private static final double MAX_END_MILLIS = RECONNECT_SECONDS * 1_000.0 + 1_000;

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
            try (EdgeProcesses edge =
                            EdgeProcesses.start(
                                    folder,
                                    "127.0.0.1:%d, 127.0.0.1:%d".formatted(firstPort, secondPort),
                                    "reconnect_timeout: " + RECONNECT_SECONDS + "s");
                    LibwebrtcCaller caller = LibwebrtcCaller.call(edge.base(), "echo")) {
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
                        reconnectMillis(edge.transceiver()),
                        "ms");
                end(caller, third, report);
            }
        } finally {
            started.reversed().forEach(ChildProcess::close);
        }
    }

    private static void kill(LibwebrtcCaller caller, ChildProcess victim, DrillReport report) {
        CompletableFuture<Void> said = caller.say(Sound.tone(Duration.ofSeconds(6)));
        sleep(Duration.ofSeconds(2));
        int before = caller.heard().samples().length;
        victim.kill();
        sleep(Duration.ofSeconds(3));
        Wav heard = caller.heard();
        said.join();
        report.within(
                "with a replica: longest silence",
                Sound.silence(heard, before),
                MAX_SILENCE_MILLIS);
        int last = heard.samples().length - heard.sampleRateHz() / 2;
        report.require(
                "with a replica: the agent is heard again", Sound.silence(heard, last) < 250);
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

    private ChildProcess start(Path folder, String name, int number, String yaml)
            throws IOException {
        Path file = folder.resolve(name + number + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(name, "--config", file.toString());
        started.add(process);
        return process;
    }
}
