/** Calls as traces: how a call's id names its trace, and where its spans go. */
@NullMarked
package dev.parley.otel.trace;

import org.jspecify.annotations.NullMarked;
