/** The one command: every service alone, or all in one process. */
@NullMarked
package dev.parley.app;

import org.jspecify.annotations.NullMarked;
