package dev.parley.otel;

/**
 * How a process tells what it does.
 *
 * @param endpoint where spans and metrics go by OTLP, empty for nowhere unless OpenTelemetry's own
 *     environment variables say so
 * @param protocol how they go there
 * @param traceRatio share of calls whose traces are exported, 0 to 1; signaling decides it for all
 * @param recentCalls calls whose spans are kept here for people to look at; 0 records no spans
 */
public record TelemetrySettings(
        String endpoint, OtlpProtocol protocol, double traceRatio, int recentCalls) {
    /** Exports nothing by itself, and remembers a few calls. */
    public static final TelemetrySettings LOCAL =
            new TelemetrySettings("", OtlpProtocol.GRPC, 1, 200);

    /** What OTLP is spoken over. */
    public enum OtlpProtocol {
        /** gRPC, usually on port 4317. */
        GRPC("grpc"),
        /** Protobuf over HTTP, usually on port 4318. */
        HTTP("http/protobuf");

        private final String text;

        OtlpProtocol(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }
}
