/** A reference implementation of the inference contract. */
@NullMarked
package dev.parley.inferencestub;

import org.jspecify.annotations.NullMarked;
