@NullMarked
package dev.parley.transceiver.audio;

import org.jspecify.annotations.NullMarked;
