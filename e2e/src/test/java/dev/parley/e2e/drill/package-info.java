/** Faults made on purpose, with real processes and a real call: {@code ./parley drill}. */
@NullMarked
package dev.parley.e2e.drill;

import org.jspecify.annotations.NullMarked;
