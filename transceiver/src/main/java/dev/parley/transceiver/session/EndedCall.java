package dev.parley.transceiver.session;

/**
 * How a call ended.
 *
 * @param message what a person should know about it, may be empty
 * @param last what was known about it at the end
 */
public record EndedCall(EndReason reason, String message, SessionSnapshot last) {}
