package dev.parley.otel.grpc;

import dev.parley.otel.trace.Tracing;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes a span of each served gRPC call whose caller names one of its own. Others, such as looks at
 * the load, pass untouched.
 */
public final class ServerSpans implements ServerInterceptor {
    private static final Context.Key<SpanContext> SPAN =
            Context.keyWithDefault("dev.parley.otel.span", SpanContext.getInvalid());

    private final Tracing tracing;

    /** Records with this. */
    public ServerSpans(Tracing tracing) {
        this.tracing = tracing;
    }

    /** The span of the call that this thread serves, or its caller's; invalid for none. */
    public static SpanContext current() {
        return SPAN.get();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        SpanContext caller = TraceMetadata.read(headers);
        if (!caller.isValid()) {
            return next.startCall(call, headers);
        }
        if (!tracing.isOn()) {
            return Contexts.interceptCall(
                    Context.current().withValue(SPAN, caller), call, headers, next);
        }
        Span span = RpcSpan.start(tracing, caller, call.getMethodDescriptor(), SpanKind.SERVER);
        AtomicReference<@Nullable Status> closed = new AtomicReference<>();
        ServerCall<Q, A> watched =
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        closed.compareAndSet(null, status);
                        super.close(status, trailers);
                    }
                };
        Context context = Context.current().withValue(SPAN, span.getSpanContext());
        return new Ending<>(Contexts.interceptCall(context, watched, headers, next), span, closed);
    }

    private static final class Ending<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Span span;
        private final AtomicReference<@Nullable Status> closed;

        Ending(
                ServerCall.Listener<Q> listener,
                Span span,
                AtomicReference<@Nullable Status> closed) {
            super(listener);
            this.span = span;
            this.closed = closed;
        }

        @Override
        public void onComplete() {
            end(Status.OK);
            super.onComplete();
        }

        @Override
        public void onCancel() {
            end(Status.CANCELLED);
            super.onCancel();
        }

        private void end(Status otherwise) {
            Status status = closed.get();
            RpcSpan.end(span, status == null ? otherwise : status, SpanKind.SERVER);
        }
    }
}
