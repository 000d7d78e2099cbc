/** Drills in which somebody means ill: each attacks the product while calls go on. */
@NullMarked
package dev.parley.e2e.hostile;

import org.jspecify.annotations.NullMarked;
