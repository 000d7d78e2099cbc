package dev.parley.transceiver.media;

/**
 * How a voice is likely to sound to a listener: the E-model of ITU-T G.107 with every parameter at
 * its default but delay and loss.
 *
 * <p>R = 93.2 - Id - Ie,eff. The delay impairment is the simplification of Cole and Rosenbluth
 * ("Voice over IP Performance Monitoring", 2001): Id = 0.024 d + 0.11 (d - 177.3) H(d - 177.3), d
 * in milliseconds. The equipment impairment is G.107 7.5: Ie,eff = Ie + (95 - Ie) Ppl / (Ppl + Bpl)
 * for loss at random. G.113 has no figures for Opus; Ie = 0 and Bpl = 25.1 are those of G.711 with
 * concealment (G.113 appendix I), which Opus does not fall behind. FEC that the listener used is
 * seen only where the listener is us.
 */
public final class VoiceQuality {
    /** R of a call without delay and loss. */
    public static final double BEST_R = 93.2;

    private static final double LOSS_ROBUSTNESS = 25.1;
    private static final double NOTICED_DELAY_MILLIS = 177.3;

    private VoiceQuality() {}

    /**
     * The rating factor R, 0 to {@link #BEST_R}; G.109 calls 80 and more what satisfies.
     *
     * @param delayMillis from mouth to ear
     * @param lossShare of the audio that the listener's side had to make up, 0 to 1
     */
    public static double rating(double delayMillis, double lossShare) {
        double late = Math.max(0, delayMillis - NOTICED_DELAY_MILLIS);
        double delay = 0.024 * delayMillis + 0.11 * late;
        double lossPercent = Math.clamp(lossShare, 0.0, 1.0) * 100;
        double equipment = 95 * lossPercent / (lossPercent + LOSS_ROBUSTNESS);
        return Math.max(0, BEST_R - delay - equipment);
    }

    /** The mean opinion score for a rating, 1 to 4.5 (G.107 annex B). */
    public static double meanOpinionScore(double rating) {
        if (rating <= 0) {
            return 1;
        }
        return Math.max(1, 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating));
    }
}
