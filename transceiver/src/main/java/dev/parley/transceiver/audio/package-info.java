/**
 * Audio between Opus packets and what inference services speak: the codec, packet facts, G.711,
 * levels. Knows no session, socket or clock.
 */
@NullMarked
package dev.parley.transceiver.audio;

import org.jspecify.annotations.NullMarked;
