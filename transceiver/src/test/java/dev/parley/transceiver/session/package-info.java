@NullMarked
package dev.parley.transceiver.session;

import org.jspecify.annotations.NullMarked;
