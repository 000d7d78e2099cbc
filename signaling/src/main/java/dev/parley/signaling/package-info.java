/** The HTTP surface that clients call, and the page a person talks on. */
@NullMarked
package dev.parley.signaling;

import org.jspecify.annotations.NullMarked;
