/** The relay: routes each datagram by the ICE ufrag, holds nothing that cannot be rebuilt. */
@NullMarked
package dev.parley.relay;

import org.jspecify.annotations.NullMarked;
