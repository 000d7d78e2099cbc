package dev.parley.rtc.ice;

/** A path on which an authenticated check has come. Owned by an {@link IceLite}. */
final class IcePair {
    final IcePath path = new IcePath();
    long checkedNanos;
    long heardNanos;

    /** Whether there is evidence that what we send arrives there. */
    boolean proven;

    /** Whether another session was checked from here since this one was last heard here. */
    boolean contested;

    boolean isExpired(long consentTimeoutNanos, long nowNanos) {
        return checkedNanos + consentTimeoutNanos - nowNanos <= 0;
    }
}
