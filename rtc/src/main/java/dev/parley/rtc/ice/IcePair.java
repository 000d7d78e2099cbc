package dev.parley.rtc.ice;

import dev.parley.rtc.ice.LocalCredentials.Generation;
import org.jspecify.annotations.Nullable;

/** A path on which an authenticated check has come. Owned by an {@link IceLite}. */
final class IcePair {
    final IcePath path = new IcePath();

    /** Whose credentials the last check there had. */
    Generation generation;

    long checkedNanos;
    long heardNanos;

    /** Whether something that we sent there is known to have arrived. */
    boolean proven;

    /** Our own check of it, while that is under way. */
    @Nullable ReturnCheck returnCheck;

    /** What an {@link UnprovenBudget} lets it have for what came from there. */
    long creditBytes;

    /** Whether another session was checked from here since this one was last heard here. */
    boolean contested;

    IcePair(IcePath path, Generation generation) {
        this.path.copy(path);
        this.generation = generation;
    }

    boolean isExpired(long consentTimeoutNanos, long nowNanos) {
        return checkedNanos + consentTimeoutNanos - nowNanos <= 0;
    }

    /** Whoever is there now need not be who was there before. */
    void forgetProof() {
        proven = false;
        returnCheck = null;
        creditBytes = 0;
    }
}
