package dev.parley.transceiver.session;

/**
 * How long things may take in every call of a process, in nanoseconds, how much output is buffered
 * before it starts, in samples at 48 kHz, and how much of a media loop calls may take together.
 *
 * @param idleNanos how long a call may live while neither side says anything
 * @param liveNanos output that always waits at most this long is spoken in real time
 * @param maxHandshakes DTLS handshakes that one media loop may have under way, those left out whose
 *     client is silent; further calls wait
 */
public record SessionLimits(
        long setupNanos,
        long consentNanos,
        long durationNanos,
        long reorderNanos,
        int cushionSamples,
        long liveNanos,
        long idleNanos,
        int maxHandshakes) {}
