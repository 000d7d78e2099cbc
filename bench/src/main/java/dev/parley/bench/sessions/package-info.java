/** What one core of a transceiver carries: the benchmark of whole calls. */
@NullMarked
package dev.parley.bench.sessions;

import org.jspecify.annotations.NullMarked;
