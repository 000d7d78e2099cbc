package dev.parley.transceiver.inference;

import java.time.Duration;

/**
 * How backends are talked to.
 *
 * @param keepalive silence on a connection after which it is probed; a backend must permit it
 * @param keepaliveTimeout how long the answer to a probe may take before the connection is broken
 * @param readyTimeout how long a backend may take to accept a call that another one had
 * @param reconnectTimeout how long a call looks for another stream when its own broke; zero: it
 *     ends at once
 * @param tls how connections are secured
 */
public record BackendSettings(
        Duration keepalive,
        Duration keepaliveTimeout,
        Duration readyTimeout,
        Duration reconnectTimeout,
        TlsSettings tls) {
    /** What the options of the transceiver are by default. */
    public static final BackendSettings DEFAULT =
            new BackendSettings(
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(5),
                    TlsSettings.OFF);
}
