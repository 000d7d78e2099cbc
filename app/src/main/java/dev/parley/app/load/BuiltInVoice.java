package dev.parley.app.load;

/** A voice that needs no file: harmonics of a gliding pitch in syllables, four a second. */
public final class BuiltInVoice {
    private BuiltInVoice() {}

    /** The beginning of it; each whole second joins the first one without a seam in loudness. */
    public static short[] pcm(int rateHz, int samples) {
        short[] pcm = new short[samples];
        double phase = 0;
        for (int i = 0; i < pcm.length; i++) {
            double seconds = i / (double) rateHz;
            double pitch = 140 + 30 * Math.sin(2 * Math.PI * seconds);
            phase += 2 * Math.PI * pitch / rateHz;
            double sum = 0;
            for (int harmonic = 1; harmonic * pitch < 6_000; harmonic++) {
                sum += Math.sin(harmonic * phase) / (1 + Math.pow(harmonic * pitch / 900, 2));
            }
            double syllable = 0.3 + 0.7 * Math.pow(Math.sin(Math.PI * 4 * seconds), 2);
            pcm[i] = (short) (2_500 * syllable * sum);
        }
        return pcm;
    }
}
