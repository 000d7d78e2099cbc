/**
 * The Realtime API's events as an {@link dev.parley.transceiver.inference.EventSurface}: what its
 * clients send becomes messages of our contract, and what inference and the edge do becomes events
 * of theirs. docs/realtime.md tells which.
 */
@NullMarked
package dev.parley.transceiver.realtime;

import org.jspecify.annotations.NullMarked;
