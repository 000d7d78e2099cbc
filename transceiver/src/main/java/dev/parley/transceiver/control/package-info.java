/** What signaling calls: creates, describes and closes calls. */
@NullMarked
package dev.parley.transceiver.control;

import org.jspecify.annotations.NullMarked;
