/**
 * Measures relays over loopback: packets a second, processor time and garbage per packet, added
 * latency, memory.
 */
@NullMarked
package dev.parley.bench.relay;

import org.jspecify.annotations.NullMarked;
