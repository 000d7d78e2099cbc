/** Compares ways of carrying Converse streams. */
@NullMarked
package dev.parley.bench.grpc;

import org.jspecify.annotations.NullMarked;
