@NullMarked
package dev.parley.transceiver.inference;

import org.jspecify.annotations.NullMarked;
