/** Tests of the speech detector. */
@NullMarked
package dev.parley.transceiver.speech;

import org.jspecify.annotations.NullMarked;
