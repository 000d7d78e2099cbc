/** Files that may change while the process runs: keys, key sets, certificates. */
@NullMarked
package dev.parley.signaling.reload;

import org.jspecify.annotations.NullMarked;
