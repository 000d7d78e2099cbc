/**
 * What crosses between client, relay and transceiver: route token, client header, RFC 7983
 * demultiplexing.
 */
@NullMarked
package dev.parley.rtc.route;

import org.jspecify.annotations.NullMarked;
