package dev.parley.transceiver.session;

import dev.parley.transceiver.media.CallSummary;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a call at one moment.
 *
 * @param received RTP packets accepted from the client
 * @param sent RTP packets sent to the client
 * @param lost packets of the client that never came in time
 * @param inputDropped input messages that inference was too slow for
 * @param remoteLost our packets that the client missed, by its last report
 * @param roundTripNanos between us and the client, -1 while unknown
 * @param jitterNanos of the client's packets
 * @param quality of the whole call so far, null before media flows
 * @param data how its data channels stand, null when none were negotiated
 */
public record SessionSnapshot(
        Session.State state,
        long ageNanos,
        long received,
        long sent,
        long lost,
        long inputDropped,
        long remoteLost,
        long roundTripNanos,
        long jitterNanos,
        @Nullable CallSummary quality,
        @Nullable DataSnapshot data) {}
