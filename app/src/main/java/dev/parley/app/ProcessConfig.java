package dev.parley.app;

import dev.parley.otel.TelemetrySettings;
import dev.parley.otel.TelemetrySettings.OtlpProtocol;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.config.Option;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What every process can be told beside what its service can, in the same file. */
public record ProcessConfig(
        @Option(
                        value =
                                "address of the operations page and of Prometheus' /metrics; never a"
                                        + " public one; off for none; left out, 127.0.0.1 and a port"
                                        + " that each service has of its own: signaling 9480,"
                                        + " transceiver 9481, relay 9482, inference-stub 9483",
                        orElse = "")
                String adminAddress,
        @Option(
                        value =
                                "admin addresses of other processes, whose spans a call's timeline"
                                        + " shows as well; left out like admin_address, those that"
                                        + " the other services have by themselves",
                        orElse = "")
                List<HostPort> adminPeers,
        @Option(value = "what log lines look like: text or json", orElse = "text")
                LogFormat logFormat,
        @Option(
                        value =
                                "mask IP addresses in log lines: the last byte of IPv4, all but 48"
                                        + " bits of IPv6",
                        orElse = "true")
                boolean logMaskAddresses,
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
                int recentCalls,
        @Option(
                        value =
                                "how long a process carries calls of its own, on loopback, before it"
                                        + " is ready, so that the first callers do not wait for the"
                                        + " JVM to compile; for transceiver and signaling (a relay"
                                        + " has warm_up); 0s for not at all",
                        orElse = "0s",
                        max = 60_000)
                Duration rehearsal) {
    private static final List<String> SERVICES =
            List.of("signaling", "transceiver", "relay", "inference-stub");
    private static final int FIRST_PORT = 9_480;
    private static final String OFF = "off";

    public ProcessConfig {
        if (!adminAddress.isEmpty() && !adminAddress.equals(OFF)) {
            var _ = admin(adminAddress);
        }
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

    private static InetSocketAddress admin(String text) {
        try {
            return HostPort.parse(text).resolve("admin_address");
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    "admin_address: \""
                            + text
                            + "\" "
                            + e.getMessage()
                            + "; write it as 127.0.0.1:9480, or off");
        }
    }

    /** Where the operations page is; empty for nowhere. */
    Optional<InetSocketAddress> findAdmin(String standard) {
        if (adminAddress.equals(OFF)) {
            return Optional.empty();
        }
        return Optional.of(admin(adminAddress.isEmpty() ? standard : adminAddress));
    }

    /** Where a service's page is unless it is told otherwise. */
    static String standardAdmin(String service) {
        return "127.0.0.1:" + (FIRST_PORT + Math.max(0, SERVICES.indexOf(service)));
    }

    /** Whom a page asks for more spans. */
    List<InetSocketAddress> peers(String service) {
        if (adminPeers.isEmpty() && adminAddress.isEmpty() && SERVICES.contains(service)) {
            return SERVICES.stream()
                    .filter(other -> !other.equals(service))
                    .map(other -> admin(standardAdmin(other)))
                    .toList();
        }
        return adminPeers.stream().map(peer -> peer.resolve("admin_peers")).toList();
    }

    TelemetrySettings telemetry() {
        return new TelemetrySettings(otlpEndpoint, otlpProtocol, traceRatio, recentCalls);
    }
}
