/** Data channels over SCTP, RFC 8831, and how they are opened, RFC 8832. Sans-IO. */
@NullMarked
package dev.parley.rtc.datachannel;

import org.jspecify.annotations.NullMarked;
