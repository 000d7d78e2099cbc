/** Signaling over one WebSocket, for clients that prefer that to several HTTP requests. */
@NullMarked
package dev.parley.signaling.ws;

import org.jspecify.annotations.NullMarked;
