/** The listener: connections from their acceptance to their end, TLS, proxies in front of us. */
@NullMarked
package dev.parley.signaling.net;

import org.jspecify.annotations.NullMarked;
