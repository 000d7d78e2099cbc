/** A receiver of OTLP, to see what the product exports. */
@NullMarked
package dev.parley.e2e.telemetry;

import org.jspecify.annotations.NullMarked;
