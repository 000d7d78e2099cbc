/** Calls as clients see them: who may start them, with what, and the Realtime HTTP interface. */
@NullMarked
package dev.parley.signaling.calls;

import org.jspecify.annotations.NullMarked;
