/**
 * DTLS 1.2 with DTLS-SRTP (RFC 6347, RFC 5764, RFC 8842) through Bouncy Castle. The only package
 * here that blocks: {@link dev.parley.rtc.dtls.DtlsHandshake#run} runs on a thread of its caller's,
 * and reaches the network through the caller's {@link dev.parley.rtc.dtls.DatagramLink}.
 */
@NullMarked
package dev.parley.rtc.dtls;

import org.jspecify.annotations.NullMarked;
