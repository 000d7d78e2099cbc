package dev.parley.transceiver.session;

/**
 * How long things may take in every call of a process, in nanoseconds, and how much output is
 * buffered before it starts, in samples at 48 kHz.
 */
public record SessionLimits(
        long setupNanos,
        long consentNanos,
        long durationNanos,
        long reorderNanos,
        int cushionSamples) {}
