/**
 * Has an inference service take a recorded call again, without a client and without WebRTC: the
 * call goes through the same code as one from the network, from the caller's packets on.
 */
@NullMarked
package dev.parley.transceiver.replay;

import org.jspecify.annotations.NullMarked;
