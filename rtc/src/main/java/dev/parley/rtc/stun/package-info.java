/** STUN messages, RFC 8489: a view to read them and a writer to answer them. */
@NullMarked
package dev.parley.rtc.stun;

import org.jspecify.annotations.NullMarked;
