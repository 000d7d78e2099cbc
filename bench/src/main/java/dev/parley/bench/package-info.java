/** JMH benchmarks of pieces; each decision that rests on one names it. */
@NullMarked
package dev.parley.bench;

import org.jspecify.annotations.NullMarked;
