/** An hour of calls that come and go, and whether anything grows meanwhile. */
@NullMarked
package dev.parley.bench.soak;

import org.jspecify.annotations.NullMarked;
