/**
 * A network laboratory: client and server in network namespaces of their own, with a link between
 * them that delays, loses, reorders and rebinds as a seed says. For tests and drills.
 */
@NullMarked
package dev.parley.e2e.lab;

import org.jspecify.annotations.NullMarked;
