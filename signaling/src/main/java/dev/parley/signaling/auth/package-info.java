/**
 * Who may call: the ways in which a bearer credential is recognised. Knows nothing of HTTP beyond
 * that.
 */
@NullMarked
package dev.parley.signaling.auth;

import org.jspecify.annotations.NullMarked;
