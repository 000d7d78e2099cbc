package dev.parley.inferencestub;

/** How loud samples are. */
final class Levels {
    private static final double DIGITAL_SILENCE_DBFS = -100;

    private Levels() {}

    /** Root mean square against full scale; digital silence, and no sample at all, is -100. */
    static double rmsDbfs(short[] samples) {
        double energy = 0;
        for (short sample : samples) {
            energy += (double) sample * sample;
        }
        double rms = Math.sqrt(energy / Math.max(1, samples.length)) / -Short.MIN_VALUE;
        return Math.max(DIGITAL_SILENCE_DBFS, 20 * Math.log10(rms));
    }
}
