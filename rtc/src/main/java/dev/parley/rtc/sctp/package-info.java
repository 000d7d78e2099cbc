/**
 * SCTP in the profile of WebRTC data channels, RFC 9260 and RFC 8831, over DTLS. Sans-IO: packets
 * in, packets out, time as an argument.
 */
@NullMarked
package dev.parley.rtc.sctp;

import org.jspecify.annotations.NullMarked;
