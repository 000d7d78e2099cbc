package dev.parley.otel.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import org.junit.jupiter.api.Test;

class PropagationTest {
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    private final SpanContext span =
            SpanContext.create(
                    "0af7651916cd43dd8448eb211c80319c",
                    "b7ad6b7169203331",
                    TraceFlags.getSampled(),
                    TraceState.getDefault());

    @Test
    void writesWhatW3cTraceContextSays() {
        Metadata metadata = new Metadata();
        metadata.put(TRACEPARENT, "somebody else's");
        TraceMetadata.write(span, metadata);

        assertThat(metadata.getAll(TRACEPARENT))
                .containsExactly("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        assertThat(TraceMetadata.read(metadata).getSpanId()).isEqualTo(span.getSpanId());
        assertThat(TraceMetadata.read(metadata).isRemote()).isTrue();
    }

    @Test
    void whatIsNoTraceparentIsNone() {
        Metadata metadata = new Metadata();
        assertThat(TraceMetadata.read(metadata).isValid()).isFalse();
        metadata.put(TRACEPARENT, "00-zz-b7ad6b7169203331-01");
        assertThat(TraceMetadata.read(metadata).isValid()).isFalse();
    }
}
