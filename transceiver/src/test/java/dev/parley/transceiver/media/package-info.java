@NullMarked
package dev.parley.transceiver.media;

import org.jspecify.annotations.NullMarked;
