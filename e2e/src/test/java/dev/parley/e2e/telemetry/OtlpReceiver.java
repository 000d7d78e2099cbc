package dev.parley.e2e.telemetry;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Takes spans and metrics by OTLP over gRPC, as a collector does. Owned by one test. */
public final class OtlpReceiver implements AutoCloseable {
    private final Queue<ReceivedSpan> spans = new ConcurrentLinkedQueue<>();
    private final Set<String> metrics = ConcurrentHashMap.newKeySet();
    private final Server server;

    /** Listens on a free port of this machine. */
    public OtlpReceiver() {
        try {
            server =
                    NettyServerBuilder.forAddress(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .addService(new Traces())
                            .addService(new Metrics())
                            .build()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a process is told of it. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getPort();
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

    @Override
    public void close() {
        server.shutdownNow();
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
            request.getResourceSpansList()
                    .forEach(
                            each -> {
                                String service = service(each.getResource());
                                each.getScopeSpansList().stream()
                                        .flatMap(scope -> scope.getSpansList().stream())
                                        .map(span -> new ReceivedSpan(service, span))
                                        .forEach(spans::add);
                            });
            response.onNext(ExportTraceServiceResponse.getDefaultInstance());
            response.onCompleted();
        }
    }

    private final class Metrics extends MetricsServiceGrpc.MetricsServiceImplBase {
        @Override
        public void export(
                ExportMetricsServiceRequest request,
                StreamObserver<ExportMetricsServiceResponse> response) {
            request.getResourceMetricsList().stream()
                    .flatMap(each -> each.getScopeMetricsList().stream())
                    .flatMap(scope -> scope.getMetricsList().stream())
                    .forEach(metric -> metrics.add(metric.getName()));
            response.onNext(ExportMetricsServiceResponse.getDefaultInstance());
            response.onCompleted();
        }
    }
}
