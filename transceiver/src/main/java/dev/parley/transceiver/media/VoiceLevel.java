package dev.parley.transceiver.media;

/**
 * Tells voice from background by level alone, where neither the client nor its encoder says: above
 * the quietest of the last seconds by a margin. Owned by one session's input.
 */
final class VoiceLevel {
    /** Nothing below is taken for voice. */
    private static final int MIN_VOICE_DBOV = -55;

    private static final int MARGIN_DB = 9;

    /** How fast the background is believed to become louder. */
    private static final double RISE_DB_PER_SAMPLE = 2.0 / InputClock.RATE_HZ;

    private double backgroundDbov = Double.NaN;

    /**
     * Takes the level of the next piece of audio; answers whether it holds voice.
     *
     * @param samples its length at 48 kHz
     */
    boolean isVoice(int levelDbov, int samples) {
        if (Double.isNaN(backgroundDbov)) {
            backgroundDbov = Math.min(levelDbov, MIN_VOICE_DBOV);
        }
        backgroundDbov = Math.min(levelDbov, backgroundDbov + RISE_DB_PER_SAMPLE * samples);
        return levelDbov > MIN_VOICE_DBOV && levelDbov > backgroundDbov + MARGIN_DB;
    }
}
