/** Tokens that clients carry for us and cannot read: call ids and client secrets. */
@NullMarked
package dev.parley.signaling.seal;

import org.jspecify.annotations.NullMarked;
