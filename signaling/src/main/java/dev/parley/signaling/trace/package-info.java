/** A client's request as the beginning of its call's trace. */
@NullMarked
package dev.parley.signaling.trace;

import org.jspecify.annotations.NullMarked;
