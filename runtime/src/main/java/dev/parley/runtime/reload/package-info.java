/** Files that may change while the process runs: keys, key sets, certificates. */
@NullMarked
package dev.parley.runtime.reload;

import org.jspecify.annotations.NullMarked;
