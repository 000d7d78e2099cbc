/** The load generator behind {@code ./parley load}: many WebRTC clients in one process. */
@NullMarked
package dev.parley.app.load;

import org.jspecify.annotations.NullMarked;
