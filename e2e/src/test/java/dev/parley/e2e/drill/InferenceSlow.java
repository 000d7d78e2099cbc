package dev.parley.e2e.drill;

import dev.parley.bench.ProcessMemory;
import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.Wav;
import dev.parley.inferencestub.InferenceStub;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.inferencestub.StubObserver;
import dev.parley.otel.Telemetry;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * One call's consumer takes no message for a while; others on the same connection do. The others
 * notice nothing, the transceiver's memory stays as it is, and the slow one goes on with the newest
 * two seconds of its caller, having lost no other kind of message.
 */
final class InferenceSlow implements Drill {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    private static final int OTHERS = 3;
    private static final Duration BEFORE = Duration.ofSeconds(3);
    private static final Duration AFTER = Duration.ofSeconds(4);
    private static final int MESSAGES_PER_SECOND = 50;

    /** What may wait for a consumer: its own window, gRPC's buffer, and the edge's queue. */
    private static final int MAX_WAITING_SECONDS = 7;

    private static final double MAX_GROWTH_MIB = 8;
    private static final double MAX_SILENCE_MILLIS = 250;
    private static final double MAX_AGE_MILLIS = 3_000;

    private final Duration stop;

    /**
     * @param stop for how long it takes nothing
     */
    InferenceSlow(Duration stop) {
        this.stop = stop;
    }

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        Watch watch = new Watch();
        Path script = folder.resolve("slow.yaml");
        Files.writeString(
                script,
                """
                turns:
                  - interruptible: false # the caller speaks all the time
                    do: [{pause: %dms}, {stop_reading: %dms}]
                """
                        .formatted(BEFORE.toMillis(), stop.toMillis()));
        InferenceStubConfig config =
                ConfigLoader.of(
                        InferenceStubConfig.class,
                        Map.of("grpc_address", "127.0.0.1:0", "script", script.toString()));
        try (InferenceStub stub = InferenceStub.start(config, Telemetry.none(), watch);
                EdgeProcesses edge =
                        EdgeProcesses.start(folder, HostPort.of(stub.address()).toString(), "")) {
            calls(edge.base(), edge.transceiver(), watch, report);
        }
    }

    private void calls(URI base, ChildProcess transceiver, Watch watch, DrillReport report)
            throws IOException {
        List<LibwebrtcCaller> callers = new ArrayList<>();
        try {
            for (int i = 0; i < OTHERS; i++) {
                callers.add(connected(base, "echo"));
            }
            LibwebrtcCaller slow = connected(base, "scripted");
            callers.add(slow);
            Duration all = BEFORE.plus(stop).plus(AFTER);
            CompletableFuture<?>[] said =
                    callers.stream()
                            .map(caller -> caller.say(Sound.tone(all)))
                            .toArray(CompletableFuture<?>[]::new);
            sleep(BEFORE);
            double before = ProcessMemory.liveHeapMib(transceiver.pid());
            int[] from = new int[OTHERS];
            for (int i = 0; i < OTHERS; i++) {
                from[i] = callers.get(i).heard().samples().length;
            }
            sleep(stop.minusSeconds(1));
            double longest = 0;
            for (int i = 0; i < OTHERS; i++) {
                Wav heard = callers.get(i).heard();
                longest = Math.max(longest, Sound.silence(heard, from[i]));
            }
            // Stops the transceiver for a moment, so it comes after what was to be heard.
            double during = ProcessMemory.liveHeapMib(transceiver.pid());
            CompletableFuture.allOf(said).join();
            report.within("the others: longest silence", longest, MAX_SILENCE_MILLIS);
            report.atMost(
                    "the others: input messages lost",
                    watch.lost("echo"),
                    "",
                    OTHERS * (long) MESSAGES_PER_SECOND / 10);
            report.atMost(
                    "the transceiver: live objects grew by",
                    during - before,
                    "MiB",
                    MAX_GROWTH_MIB);
            tellSlow(watch.only("scripted"), report);
        } finally {
            callers.forEach(LibwebrtcCaller::close);
        }
    }

    private void tellSlow(Seen slow, DrillReport report) {
        long expected = (stop.toSeconds() - MAX_WAITING_SECONDS) * MESSAGES_PER_SECOND;
        synchronized (slow) {
            report.atLeast(
                    "the slow one: oldest input messages dropped",
                    (double) slow.lost,
                    "",
                    (double) Math.max(1, expected));
            report.atMost(
                    "the slow one: age of its input when it goes on",
                    slow.agesMillis,
                    "ms",
                    MAX_AGE_MILLIS);
            report.atMost("the slow one: other messages lost", slow.eventsLost, "", 0);
            report.require("the slow one: its call goes on", slow.sinceGap > MESSAGES_PER_SECOND);
        }
    }

    /** They speak; to listen would be to wait until they have. */
    private static void sleep(Duration length) {
        LockSupport.parkNanos(length.toNanos());
    }

    private static LibwebrtcCaller connected(URI base, String model) {
        LibwebrtcCaller caller = LibwebrtcCaller.call(base, model);
        caller.awaitConnected(CONNECT_TIMEOUT);
        return caller;
    }

    /** What one call's consumer has been sent; guarded by itself. */
    private static final class Seen {
        private final String model;
        private long nextSequence;
        private long nextEvent = 1;
        private long lost;
        private long eventsLost;
        private long sinceGap;
        private double agesMillis;
        private double quickestMillis = Double.MAX_VALUE;

        Seen(String model) {
            this.model = model;
        }

        private synchronized void take(ConverseRequest request, long nanos) {
            if (request.hasInputAudio()) {
                take(request.getInputAudio(), nanos / 1e6);
            } else if (request.getEventNumber() > 0) {
                eventsLost += request.getEventNumber() - nextEvent;
                nextEvent = request.getEventNumber() + 1;
            }
        }

        private void take(InputAudio audio, double nowMillis) {
            // Against the message that was under way for the shortest time.
            double behind = nowMillis - audio.getAudioOffsetMs();
            quickestMillis = Math.min(quickestMillis, behind);
            long gap = audio.getSequenceNumber() - nextSequence;
            nextSequence = audio.getSequenceNumber() + 1;
            sinceGap++;
            if (gap > 0) {
                lost += gap;
                sinceGap = 0;
                agesMillis = Math.max(agesMillis, behind - quickestMillis);
            }
        }
    }

    /** Sees what the stub is sent. */
    private static final class Watch implements StubObserver {
        private final Map<String, Seen> calls = new ConcurrentHashMap<>();

        @Override
        public void onStart(SessionStart start, SessionReady ready, long nanos) {
            calls.put(start.getSessionId(), new Seen(start.getModel()));
        }

        @Override
        public void onRequest(String sessionId, ConverseRequest request, long nanos) {
            Seen seen = calls.get(sessionId);
            if (seen != null) {
                seen.take(request, nanos);
            }
        }

        long lost(String model) {
            long lost = 0;
            for (Seen seen : calls.values()) {
                synchronized (seen) {
                    lost += seen.model.equals(model) ? seen.lost : 0;
                }
            }
            return lost;
        }

        Seen only(String model) {
            return calls.values().stream()
                    .filter(seen -> seen.model.equals(model))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
