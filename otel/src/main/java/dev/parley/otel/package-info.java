/** OpenTelemetry set up once per process, and the vocabulary of metrics. */
@NullMarked
package dev.parley.otel;

import org.jspecify.annotations.NullMarked;
