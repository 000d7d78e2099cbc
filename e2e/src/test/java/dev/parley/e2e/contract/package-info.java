/** Holds the gRPC contracts to their rules, and writes their reference. */
@NullMarked
package dev.parley.e2e.contract;

import org.jspecify.annotations.NullMarked;
