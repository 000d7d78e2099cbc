/** The backend that docs/inference.md starts with. */
@NullMarked
package dev.parley.inferencestub.example;

import org.jspecify.annotations.NullMarked;
