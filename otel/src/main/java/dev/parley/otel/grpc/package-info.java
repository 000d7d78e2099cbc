/** W3C trace context over gRPC metadata, and the spans of both ends. */
@NullMarked
package dev.parley.otel.grpc;

import org.jspecify.annotations.NullMarked;
