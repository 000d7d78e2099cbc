@NullMarked
package dev.parley.transceiver.control;

import org.jspecify.annotations.NullMarked;
