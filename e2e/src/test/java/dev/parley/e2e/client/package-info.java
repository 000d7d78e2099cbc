/**
 * A caller that shares no code with Parley (libwebrtc), and the means to tell whether what somebody
 * heard is what somebody else said.
 */
@NullMarked
package dev.parley.e2e.client;

import org.jspecify.annotations.NullMarked;
