/** The transceiver: owns ICE, DTLS, SRTP, audio and the session. */
@NullMarked
package dev.parley.transceiver;

import org.jspecify.annotations.NullMarked;
