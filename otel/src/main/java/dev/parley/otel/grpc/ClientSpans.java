package dev.parley.otel.grpc;

import dev.parley.otel.trace.Tracing;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;

/**
 * Makes a span of each gRPC call that has {@link #PARENT} among its options, and tells the server
 * of it. Others pass untouched.
 */
public final class ClientSpans implements ClientInterceptor {
    /** The span that a call belongs to. */
    public static final CallOptions.Key<SpanContext> PARENT =
            CallOptions.Key.create("dev.parley.otel.parent-span");

    private final Tracing tracing;

    /** Records with this. */
    public ClientSpans(Tracing tracing) {
        this.tracing = tracing;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        ClientCall<Q, A> call = next.newCall(method, options);
        SpanContext parent = options.getOption(PARENT);
        return parent == null ? call : new Traced<>(call, method, parent);
    }

    private final class Traced<Q, A> extends SimpleForwardingClientCall<Q, A> {
        private final MethodDescriptor<Q, A> method;
        private final SpanContext parent;

        Traced(ClientCall<Q, A> call, MethodDescriptor<Q, A> method, SpanContext parent) {
            super(call);
            this.method = method;
            this.parent = parent;
        }

        @Override
        public void start(Listener<A> listener, Metadata headers) {
            if (!tracing.isOn()) {
                // The trace goes on behind us.
                TraceMetadata.write(parent, headers);
                super.start(listener, headers);
                return;
            }
            Span span = RpcSpan.start(tracing, parent, method, SpanKind.CLIENT);
            TraceMetadata.write(span.getSpanContext(), headers);
            super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            RpcSpan.end(span, status, SpanKind.CLIENT);
                            super.onClose(status, trailers);
                        }
                    },
                    headers);
        }
    }
}
