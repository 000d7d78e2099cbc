package dev.parley.transceiver.audio;

import java.util.Map;

/**
 * How voice is encoded.
 *
 * @param bitrate bits per second, 6,000 to 510,000
 * @param complexity 0 (least work) to 10
 * @param inbandFec whether each packet can repair the one before it
 * @param expectedLossPercent 0 to 100; how much of the bitrate in-band FEC gets
 * @param dtx whether silence shrinks to packets that need not be sent
 * @param constantBitrate whether all packets are of one size
 * @param maxBandwidth highest audio frequency that is worth bits
 */
public record OpusSettings(
        int bitrate,
        int complexity,
        boolean inbandFec,
        int expectedLossPercent,
        boolean dtx,
        boolean constantBitrate,
        OpusBandwidth maxBandwidth) {
    /** RFC 6716 2.1.1. */
    public static final int MIN_BITRATE = 6_000;

    /** RFC 6716 2.1.1. */
    public static final int MAX_BITRATE = 510_000;

    /** Wideband speech, repairable, at a cost that lets one core hold many calls. */
    public static final OpusSettings VOICE = new OpusSettings(32_000, 5, true, 5);

    /** With variable bitrate, without DTX, in full bandwidth. */
    public OpusSettings(int bitrate, int complexity, boolean inbandFec, int expectedLossPercent) {
        this(bitrate, complexity, inbandFec, expectedLossPercent, false, false, OpusBandwidth.FULL);
    }

    /**
     * What is left of these settings for a client that has said what it wants to receive.
     *
     * @param parameters of the {@code a=fmtp} of its offer, names in lower case; a value that makes
     *     no sense is passed over
     */
    public OpusSettings forClient(Map<String, String> parameters) {
        // RFC 7587 6.1. Stereo needs no look: what is sent is mono, which every client takes.
        int most = number(parameters, "maxaveragebitrate", MAX_BITRATE);
        int playback = number(parameters, "maxplaybackrate", 48_000);
        return new OpusSettings(
                Math.clamp(bitrate, MIN_BITRATE, Math.max(most, MIN_BITRATE)),
                complexity,
                inbandFec && flag(parameters, "useinbandfec"),
                expectedLossPercent,
                dtx || flag(parameters, "usedtx"),
                constantBitrate || flag(parameters, "cbr"),
                OpusBandwidth.forPlayback(playback));
    }

    /** The same for another state of the network. */
    public OpusSettings with(int otherBitrate, int otherLossPercent) {
        return new OpusSettings(
                otherBitrate,
                complexity,
                inbandFec,
                otherLossPercent,
                dtx,
                constantBitrate,
                maxBandwidth);
    }

    void applyTo(OpusEncoder encoder) {
        encoder.apply(this);
    }

    private static boolean flag(Map<String, String> parameters, String name) {
        return "1".equals(parameters.get(name));
    }

    private static int number(Map<String, String> parameters, String name, int otherwise) {
        String text = parameters.getOrDefault(name, "");
        return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : otherwise;
    }
}
