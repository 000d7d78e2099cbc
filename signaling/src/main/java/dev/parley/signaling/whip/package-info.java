/** WHIP, RFC 9725: the way of calling that WebRTC encoders and other standard clients speak. */
@NullMarked
package dev.parley.signaling.whip;

import org.jspecify.annotations.NullMarked;
