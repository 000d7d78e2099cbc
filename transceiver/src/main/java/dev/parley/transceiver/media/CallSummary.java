package dev.parley.transceiver.media;

import org.jspecify.annotations.Nullable;

/**
 * What a call has come to, in figures. Packets count from its start; how it sounds is of the whole
 * call or of the time since the summary before.
 *
 * @param received packets of the caller that came in time
 * @param lost packets of the caller that did not
 * @param concealedMillis audio of the caller that had to be made up
 * @param sent packets sent to the caller
 * @param remoteLost packets that the caller missed, by its reports
 * @param roundTripNanos between us and the caller, negative while unknown
 * @param input how the caller sounds to us, null while unknown
 * @param output how we sound to the caller, by its reports, null while unknown
 */
public record CallSummary(
        long received,
        long lost,
        long concealedMillis,
        long sent,
        long remoteLost,
        long roundTripNanos,
        CallQuality.@Nullable Summary input,
        CallQuality.@Nullable Summary output) {
    /**
     * Sums a call up.
     *
     * @param whole whether it is of the whole call
     */
    public static CallSummary of(
            CallQuality quality,
            boolean whole,
            long received,
            long lost,
            long concealedMillis,
            long sent,
            long remoteLost,
            long roundTripNanos) {
        return new CallSummary(
                received,
                lost,
                concealedMillis,
                sent,
                remoteLost,
                roundTripNanos,
                side(quality.input(), whole),
                side(quality.output(), whole));
    }

    private static CallQuality.@Nullable Summary side(
            CallQuality.Direction direction, boolean whole) {
        if (!direction.isKnown()) {
            return null;
        }
        return whole ? direction.whole() : direction.recent();
    }
}
