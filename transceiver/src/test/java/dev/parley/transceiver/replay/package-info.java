@NullMarked
package dev.parley.transceiver.replay;

import org.jspecify.annotations.NullMarked;
