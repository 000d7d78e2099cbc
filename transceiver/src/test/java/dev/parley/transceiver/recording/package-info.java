@NullMarked
package dev.parley.transceiver.recording;

import org.jspecify.annotations.NullMarked;
