package dev.parley.rtc.ice;

import dev.parley.rtc.ice.LocalCredentials.Generation;
import org.jspecify.annotations.Nullable;

/** The paths of one session, {@link IceLite#MAX_PATHS} at most. Owned by an {@link IceLite}. */
final class IcePairs {
    private final IcePair[] pairs = new IcePair[IceLite.MAX_PATHS];
    private int count;
    private @Nullable IcePath forgotten;

    int count() {
        return count;
    }

    IcePair get(int index) {
        return pairs[index];
    }

    @Nullable IcePair find(IcePath path) {
        for (int i = 0; i < count; i++) {
            if (pairs[i].path.isSamePair(path)) {
                return pairs[i];
            }
        }
        return null;
    }

    /**
     * Adds a path. When there are too many, the one heard longest ago makes room, but neither of
     * two that are kept.
     */
    IcePair add(
            IcePath from,
            Generation generation,
            @Nullable IcePair kept,
            @Nullable IcePair keptToo,
            long nowNanos) {
        IcePair added = new IcePair(from, generation);
        if (count < IceLite.MAX_PATHS) {
            pairs[count++] = added;
            return added;
        }
        int oldest = -1;
        for (int i = 0; i < count; i++) {
            if (pairs[i] != kept
                    && pairs[i] != keptToo
                    && (oldest < 0
                            || nowNanos - pairs[i].heardNanos
                                    > nowNanos - pairs[oldest].heardNanos)) {
                oldest = i;
            }
        }
        forgotten = pairs[oldest].path;
        pairs[oldest] = added;
        return added;
    }

    /** The path checked last; there must be one. */
    IcePair lastChecked() {
        IcePair last = pairs[0];
        for (int i = 1; i < count; i++) {
            if (pairs[i].checkedNanos - last.checkedNanos > 0) {
                last = pairs[i];
            }
        }
        return last;
    }

    /** Since when nothing was heard from a client address, {@link Long#MAX_VALUE} for never. */
    long silentNanos(IcePath client, long nowNanos) {
        long silence = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            if (pairs[i].path.isSameClient(client)) {
                silence = Math.min(silence, nowNanos - pairs[i].heardNanos);
            }
        }
        return silence;
    }

    /** Answers, once, the path that made room last, or null. */
    @Nullable IcePath pollForgotten() {
        IcePath path = forgotten;
        forgotten = null;
        return path;
    }
}
