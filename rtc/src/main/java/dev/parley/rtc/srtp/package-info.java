/** SRTP and SRTCP, RFC 3711 and RFC 7714. */
@NullMarked
package dev.parley.rtc.srtp;

import org.jspecify.annotations.NullMarked;
