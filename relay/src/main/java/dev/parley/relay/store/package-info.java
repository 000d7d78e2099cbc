/** Flows remembered outside the process, so that any relay can take up any client. */
@NullMarked
package dev.parley.relay.store;

import org.jspecify.annotations.NullMarked;
