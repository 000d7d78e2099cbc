/** UDP sockets behind one batch-shaped interface. */
@NullMarked
package dev.parley.runtime.udp;

import org.jspecify.annotations.NullMarked;
