/** DTLS 1.2 with DTLS-SRTP (RFC 6347, RFC 5764) through Bouncy Castle. */
@NullMarked
package dev.parley.rtc.dtls;

import org.jspecify.annotations.NullMarked;
