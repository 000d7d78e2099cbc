/**
 * What a call needs on its other sides: a WebRTC client, a network and a voice agent, for tests.
 */
@NullMarked
package dev.parley.transceiver.peer;

import org.jspecify.annotations.NullMarked;
