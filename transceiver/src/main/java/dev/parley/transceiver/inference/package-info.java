/** The gRPC side: channels to the inference services and one Converse stream per call. */
@NullMarked
package dev.parley.transceiver.inference;

import org.jspecify.annotations.NullMarked;
