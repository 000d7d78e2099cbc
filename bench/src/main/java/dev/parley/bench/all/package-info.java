/** All figures at once, compared with those of before. */
@NullMarked
package dev.parley.bench.all;

import org.jspecify.annotations.NullMarked;
