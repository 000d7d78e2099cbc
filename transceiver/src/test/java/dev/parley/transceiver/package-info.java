@NullMarked
package dev.parley.transceiver;

import org.jspecify.annotations.NullMarked;
