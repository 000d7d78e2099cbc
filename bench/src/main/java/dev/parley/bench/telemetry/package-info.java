/** What telemetry costs. */
@NullMarked
package dev.parley.bench.telemetry;

import org.jspecify.annotations.NullMarked;
