package dev.parley.inferencestub;

import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.config.Option;
import java.time.Duration;

/** Options of the inference stub. */
public record InferenceStubConfig(
        @Option(
                        value =
                                "Address that the gRPC server listens on; port 0 takes any free one",
                        orElse = "127.0.0.1:50051")
                HostPort grpcAddress,
        @Option(
                        value = "Most calls at once; one more is refused with RESOURCE_EXHAUSTED",
                        orElse = "1000",
                        min = 1,
                        max = 1_000_000)
                int maxSessions,
        @Option(
                        value = "How long a new stream may take to send its session_start",
                        orElse = "5s",
                        min = 100,
                        max = 60_000)
                Duration startTimeout,
        @Option(
                        value =
                                "How long open calls may take to move to another replica, or to"
                                        + " end, when the stub is told to stop",
                        orElse = "20s",
                        min = 0,
                        max = 3_600_000)
                Duration drainTimeout,
        @Option(
                        value = "Silence after which the parrot takes an utterance for ended",
                        orElse = "600ms",
                        min = 200,
                        max = 3_000)
                Duration endOfSpeech,
        @Option(
                        value =
                                "Longest utterance, after which the parrot answers whatever is"
                                        + " heard; it queues that much at the edge",
                        orElse = "15s",
                        min = 1_000,
                        max = 20_000)
                Duration maxUtterance,
        @Option(
                        value =
                                "YAML file that model scripted plays unless the session brings its"
                                        + " own; empty: a greeting",
                        orElse = "")
                String script) {}
