/** The whole product, driven from outside by real clients. */
@NullMarked
package dev.parley.e2e;

import org.jspecify.annotations.NullMarked;
