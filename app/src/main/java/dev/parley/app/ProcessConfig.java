package dev.parley.app;

import dev.parley.otel.TelemetrySettings;
import dev.parley.otel.TelemetrySettings.OtlpProtocol;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.Option;
import java.net.URI;
import java.net.URISyntaxException;

/** What every process can be told beside what its service can, in the same file. */
public record ProcessConfig(
        @Option(
                        value =
                                "where spans and metrics go by OTLP, such as"
                                        + " http://127.0.0.1:4317; empty for nowhere, or where"
                                        + " OTEL_EXPORTER_OTLP_ENDPOINT says",
                        orElse = "")
                String otlpEndpoint,
        @Option(value = "what OTLP is spoken over: grpc, or http with protobuf", orElse = "grpc")
                OtlpProtocol otlpProtocol,
        @Option(
                        value =
                                "share of calls whose traces are exported, 0 to 1; signaling decides"
                                        + " it for all services",
                        orElse = "1",
                        min = 0,
                        max = 1)
                double traceRatio,
        @Option(
                        value =
                                "calls whose spans are kept in memory for the operations page,"
                                        + " exported or not; 0 switches tracing off",
                        orElse = "200",
                        min = 0,
                        max = 100_000)
                int recentCalls) {
    public ProcessConfig {
        if (!otlpEndpoint.isEmpty() && !isUrl(otlpEndpoint)) {
            throw new ConfigException(
                    "otlp_endpoint: \""
                            + otlpEndpoint
                            + "\" is no URL; write it as http://collector:4317");
        }
    }

    private static boolean isUrl(String text) {
        try {
            URI url = new URI(text);
            return url.getHost() != null && String.valueOf(url.getScheme()).matches("https?");
        } catch (URISyntaxException _) {
            return false;
        }
    }

    TelemetrySettings telemetry() {
        return new TelemetrySettings(otlpEndpoint, otlpProtocol, traceRatio, recentCalls);
    }
}
