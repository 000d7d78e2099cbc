/** SDP offer and answer, RFC 8866, RFC 3264 and RFC 9429. */
@NullMarked
package dev.parley.rtc.sdp;

import org.jspecify.annotations.NullMarked;
