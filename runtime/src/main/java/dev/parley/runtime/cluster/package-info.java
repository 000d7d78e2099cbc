/** The map of all clusters of a fleet: one validated file that relays and signaling share. */
@NullMarked
package dev.parley.runtime.cluster;

import org.jspecify.annotations.NullMarked;
