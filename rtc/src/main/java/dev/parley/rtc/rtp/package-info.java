/** RTP and RTCP, RFC 3550. */
@NullMarked
package dev.parley.rtc.rtp;

import org.jspecify.annotations.NullMarked;
