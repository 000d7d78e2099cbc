/**
 * Tells when a caller speaks: a detector's probabilities, and speech that starts and stops made of
 * them. No thread, no clock of its own.
 */
@NullMarked
package dev.parley.transceiver.speech;

import org.jspecify.annotations.NullMarked;
