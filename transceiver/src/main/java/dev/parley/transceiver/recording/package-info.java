/**
 * Recordings of calls, for debugging and evaluation: what a caller's client sent and was sent, and
 * all that was said on the inference stream, each with its time. Nothing that a call does waits for
 * its recording.
 */
@NullMarked
package dev.parley.transceiver.recording;

import org.jspecify.annotations.NullMarked;
