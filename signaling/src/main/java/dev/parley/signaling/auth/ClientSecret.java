package dev.parley.signaling.auth;

import java.time.Instant;

/**
 * A short-lived secret that a server got for its client. It may be used several times until it
 * expires.
 *
 * @param id tells secrets apart, for limits; it reveals nothing of the secret
 * @param expiresAt whole seconds
 * @param sessionJson session object that its calls start from; empty when none was given
 */
public record ClientSecret(String id, Instant expiresAt, String sessionJson) {}
