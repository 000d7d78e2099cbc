/** What all HTTP endpoints share: bodies in, replies and errors out, CORS, methods. */
@NullMarked
package dev.parley.signaling.http;

import org.jspecify.annotations.NullMarked;
