/**
 * Audio in time: input packets put in order and on the clock, output queued and paced. No socket,
 * no thread, no clock of its own.
 */
@NullMarked
package dev.parley.transceiver.media;

import org.jspecify.annotations.NullMarked;
