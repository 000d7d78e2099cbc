package dev.parley.e2e.telemetry;

import com.google.protobuf.MessageLite;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Takes spans and metrics by OTLP, over gRPC or over HTTP, as a collector does. Owned by one test.
 */
public final class OtlpReceiver implements AutoCloseable {
    private static final int NOTHING_AWAITS = 0;

    private final Queue<ReceivedSpan> spans = new ConcurrentLinkedQueue<>();
    private final Set<String> metrics = ConcurrentHashMap.newKeySet();
    private final Set<Example> examples = ConcurrentHashMap.newKeySet();
    private final int port;
    private final Runnable stop;
    private volatile Status status = Status.OK;

    /** A value that a histogram names the trace of, its exemplar. */
    public record Example(String metric, double value, String traceId) {}

    private OtlpReceiver(boolean http) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (http) {
            HttpServer server = HttpServer.create(any, NOTHING_AWAITS);
            server.createContext("/v1/traces", exchange -> handle(exchange, this::takeTraces));
            server.createContext("/v1/metrics", exchange -> handle(exchange, this::takeMetrics));
            server.start();
            port = server.getAddress().getPort();
            stop = () -> server.stop(0);
        } else {
            Server server =
                    NettyServerBuilder.forAddress(any)
                            .addService(new Traces())
                            .addService(new Metrics())
                            .build()
                            .start();
            port = server.getPort();
            stop = server::shutdownNow;
        }
    }

    /** Listens on a free port of this machine, for gRPC. */
    public static OtlpReceiver overGrpc() {
        return listening(false);
    }

    /** Listens on a free port of this machine, for protobuf over HTTP. */
    public static OtlpReceiver overHttp() {
        return listening(true);
    }

    private static OtlpReceiver listening(boolean http) {
        try {
            return new OtlpReceiver(http);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a process is told of it. */
    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    /** Answers with this from now on, and takes nothing unless it is OK; over gRPC. */
    void answer(Status from) {
        status = from;
    }

    /** Spans of one trace that have come so far. */
    public List<ReceivedSpan> trace(String traceId) {
        return spans.stream().filter(span -> span.traceId().equals(traceId)).toList();
    }

    /** All that has come so far. */
    public Collection<ReceivedSpan> spans() {
        return spans;
    }

    /** Names of metrics that have come so far. */
    public Set<String> metrics() {
        return metrics;
    }

    /** Exemplars of histograms that have come so far. */
    public Set<Example> examples() {
        return examples;
    }

    @Override
    public void close() {
        stop.run();
    }

    private interface Taking {
        MessageLite take(InputStream body) throws IOException;
    }

    private static void handle(HttpExchange exchange, Taking taking) throws IOException {
        try (exchange) {
            byte[] answer = taking.take(exchange.getRequestBody()).toByteArray();
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private MessageLite takeTraces(InputStream body) throws IOException {
        take(ExportTraceServiceRequest.parseFrom(body));
        return ExportTraceServiceResponse.getDefaultInstance();
    }

    private MessageLite takeMetrics(InputStream body) throws IOException {
        take(ExportMetricsServiceRequest.parseFrom(body));
        return ExportMetricsServiceResponse.getDefaultInstance();
    }

    private void take(ExportTraceServiceRequest request) {
        request.getResourceSpansList()
                .forEach(
                        each -> {
                            String service = service(each.getResource());
                            each.getScopeSpansList().stream()
                                    .flatMap(scope -> scope.getSpansList().stream())
                                    .map(span -> new ReceivedSpan(service, span))
                                    .forEach(spans::add);
                        });
    }

    private void take(ExportMetricsServiceRequest request) {
        request.getResourceMetricsList().stream()
                .flatMap(each -> each.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .forEach(this::take);
    }

    private void take(Metric metric) {
        metrics.add(metric.getName());
        metric.getHistogram().getDataPointsList().stream()
                .flatMap(point -> point.getExemplarsList().stream())
                .map(
                        exemplar ->
                                new Example(
                                        metric.getName(),
                                        exemplar.getAsDouble(),
                                        HexFormat.of()
                                                .formatHex(exemplar.getTraceId().toByteArray())))
                .forEach(examples::add);
    }

    private <A> void answer(StreamObserver<A> response, Runnable taking, A thanks) {
        Status now = status;
        if (now.isOk()) {
            taking.run();
            response.onNext(thanks);
            response.onCompleted();
        } else {
            response.onError(now.asRuntimeException());
        }
    }

    private static String service(Resource resource) {
        return resource.getAttributesList().stream()
                .filter(attribute -> attribute.getKey().equals("service.name"))
                .map(KeyValue::getValue)
                .findFirst()
                .orElseThrow()
                .getStringValue();
    }

    private final class Traces extends TraceServiceGrpc.TraceServiceImplBase {
        @Override
        public void export(
                ExportTraceServiceRequest request,
                StreamObserver<ExportTraceServiceResponse> response) {
            answer(response, () -> take(request), ExportTraceServiceResponse.getDefaultInstance());
        }
    }

    private final class Metrics extends MetricsServiceGrpc.MetricsServiceImplBase {
        @Override
        public void export(
                ExportMetricsServiceRequest request,
                StreamObserver<ExportMetricsServiceResponse> response) {
            answer(
                    response,
                    () -> take(request),
                    ExportMetricsServiceResponse.getDefaultInstance());
        }
    }
}
