/** Tells the story of each call in spans. */
@NullMarked
package dev.parley.transceiver.trace;

import org.jspecify.annotations.NullMarked;
