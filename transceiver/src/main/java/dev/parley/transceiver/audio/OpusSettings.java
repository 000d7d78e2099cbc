package dev.parley.transceiver.audio;

/**
 * How voice is encoded.
 *
 * @param bitrate bits per second, 6,000 to 510,000
 * @param complexity 0 (least work) to 10
 * @param inbandFec whether each packet can repair the one before it
 * @param expectedLossPercent 0 to 100; how much of the bitrate in-band FEC gets
 */
public record OpusSettings(
        int bitrate, int complexity, boolean inbandFec, int expectedLossPercent) {
    /** Wideband speech, repairable, at a cost that lets one core hold many calls. */
    public static final OpusSettings VOICE = new OpusSettings(32_000, 5, true, 5);

    void applyTo(OpusEncoder encoder) {
        encoder.bitrate(bitrate);
        encoder.complexity(complexity);
        encoder.inbandFec(inbandFec);
        encoder.expectedLossPercent(expectedLossPercent);
    }
}
