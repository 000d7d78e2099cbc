/** How busy a process is, as far as that decides whether it takes more work. */
@NullMarked
package dev.parley.runtime.load;

import org.jspecify.annotations.NullMarked;
