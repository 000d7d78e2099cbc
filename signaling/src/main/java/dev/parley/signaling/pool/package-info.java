/** The transceivers: where they are, how they are, and how calls are handed to them. */
@NullMarked
package dev.parley.signaling.pool;

import org.jspecify.annotations.NullMarked;
