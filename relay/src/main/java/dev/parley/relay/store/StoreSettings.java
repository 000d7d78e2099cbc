package dev.parley.relay.store;

import java.time.Duration;

/**
 * What is the same for every store.
 *
 * @param timeToLive how long an entry lives that nobody refreshes
 */
public record StoreSettings(Duration timeToLive) {}
