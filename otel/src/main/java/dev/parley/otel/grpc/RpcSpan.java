package dev.parley.otel.grpc;

import dev.parley.otel.Attribute;
import dev.parley.otel.trace.Tracing;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.util.EnumSet;
import java.util.Set;

/** How a gRPC call looks as a span, by OpenTelemetry's conventions for RPC. */
final class RpcSpan {
    /** Statuses that are a server's fault; the others are its caller's. */
    private static final Set<Status.Code> SERVER_FAULTS =
            EnumSet.of(
                    Status.Code.UNKNOWN,
                    Status.Code.DEADLINE_EXCEEDED,
                    Status.Code.UNIMPLEMENTED,
                    Status.Code.INTERNAL,
                    Status.Code.UNAVAILABLE,
                    Status.Code.DATA_LOSS);

    private RpcSpan() {}

    static Span start(
            Tracing tracing, SpanContext parent, MethodDescriptor<?, ?> method, SpanKind kind) {
        Span span = tracing.start(parent, method.getFullMethodName(), kind, Tracing.epochNanos());
        span.setAttribute(Attribute.RPC_SYSTEM, "grpc");
        span.setAttribute(Attribute.RPC_SERVICE, String.valueOf(method.getServiceName()));
        span.setAttribute(Attribute.RPC_METHOD, String.valueOf(method.getBareMethodName()));
        return span;
    }

    static void end(Span span, Status status, SpanKind kind) {
        span.setAttribute(Attribute.RPC_GRPC_STATUS_CODE, status.getCode().value());
        boolean fault =
                kind == SpanKind.SERVER ? SERVER_FAULTS.contains(status.getCode()) : !status.isOk();
        if (fault) {
            span.setAttribute(Attribute.ERROR_TYPE, status.getCode().name());
            span.setStatus(StatusCode.ERROR);
        }
        span.end();
    }
}
