/** Calls set up through signaling by the hundred, good ones and bad ones. */
@NullMarked
package dev.parley.bench.signaling;

import org.jspecify.annotations.NullMarked;
