package dev.parley.transceiver.audio;

/**
 * Encodes one mono stream for speech (libopus' VOIP application). Encoding allocates nothing with
 * libopus.
 */
public interface OpusEncoder extends FrameEncoder {
    /** Target bits per second, 6,000 to 510,000. */
    void bitrate(int bitsPerSecond);

    /** 0 (least work) to 10 (best sound for the bits). */
    void complexity(int complexity);

    /** Whether packets carry a coarse copy of the frame before, for {@link OpusDecoder#recover}. */
    void inbandFec(boolean enabled);

    /** Expected loss, 0 to 100; with in-band FEC it decides how many bits the copy gets. */
    void expectedLossPercent(int percent);

    /**
     * Whether silence may be sent as packets of at most 2 bytes, which need not be sent at all (RFC
     * 6716 2.1.9).
     */
    void dtx(boolean enabled);

    /** Whether all packets are of one size, as {@code cbr=1} wants it (RFC 7587 6.1). */
    void constantBitrate(boolean enabled);

    /** Highest audio frequency that is worth bits. */
    void maxBandwidth(OpusBandwidth bandwidth);

    @Override
    default void apply(OpusSettings settings) {
        bitrate(settings.bitrate());
        complexity(settings.complexity());
        inbandFec(settings.inbandFec());
        expectedLossPercent(settings.expectedLossPercent());
        dtx(settings.dtx());
        constantBitrate(settings.constantBitrate());
        maxBandwidth(settings.maxBandwidth());
    }
}
