/** What a fleet needs, computed from measured costs. */
@NullMarked
package dev.parley.bench.capacity;

import org.jspecify.annotations.NullMarked;
