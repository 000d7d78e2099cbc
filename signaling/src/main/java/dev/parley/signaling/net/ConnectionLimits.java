package dev.parley.signaling.net;

import dev.parley.runtime.config.Cidr;
import java.time.Duration;
import java.util.List;

/**
 * How long clients' connections may take for what, and how many there may be.
 *
 * @param receive from the first byte of a request, or a connection's start, to its headers' end
 * @param serve from there to the beginning of the response
 * @param answer from there to its end, so that who asks and does not read is gone soon
 * @param idle between requests
 * @param perAddress connections of one address; 0 is no limit
 * @param total connections of all; when nine tenths are in use idle ones are closed
 * @param exempt proxies, which stand for many clients
 */
public record ConnectionLimits(
        Duration receive,
        Duration serve,
        Duration answer,
        Duration idle,
        int perAddress,
        int total,
        List<Cidr> exempt) {}
