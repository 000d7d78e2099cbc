/**
 * Fuzz targets: one class for each parser that a stranger's bytes reach. {@code ./parley fuzz} runs
 * them for hours, {@code FuzzTest} for seconds.
 */
@NullMarked
package dev.parley.fuzz;

import org.jspecify.annotations.NullMarked;
