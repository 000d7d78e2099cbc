/** Several clusters in a small world of network namespaces, for drills. */
@NullMarked
package dev.parley.e2e.global;

import org.jspecify.annotations.NullMarked;
