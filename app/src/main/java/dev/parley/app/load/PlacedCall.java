package dev.parley.app.load;

import dev.parley.rtc.ice.IceCredentials;

/**
 * A call that the server has accepted and nobody has sent a packet for yet.
 *
 * @param number of the caller, unlike any other's of the run
 * @param local what was offered
 * @param handle what the server knows the call by, for {@link CallRequests}
 * @param dueNanos when it was to be placed
 * @param answeredNanos when the answer was there
 * @param endNanos when it is to end, however long its set-up takes; far away for no end
 * @param warmUp whether it is none of those that count
 */
public record PlacedCall(
        int number,
        IceCredentials local,
        CallAnswer answer,
        String handle,
        long dueNanos,
        long answeredNanos,
        long endNanos,
        boolean warmUp) {}
