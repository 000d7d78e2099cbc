/** Typed configuration: one record per process, every option documented, unknown keys refused. */
@NullMarked
package dev.parley.runtime.config;

import org.jspecify.annotations.NullMarked;
