/** Calls and the loops that carry their packets. */
@NullMarked
package dev.parley.transceiver.session;

import org.jspecify.annotations.NullMarked;
