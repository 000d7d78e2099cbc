package dev.parley.inferencestub;

/** The tone that agents play: 440 Hz at a quarter of full scale. */
final class Tones {
    private static final double FREQUENCY_HZ = 440;
    private static final double AMPLITUDE = 0.25 * Short.MAX_VALUE;

    private Tones() {}

    /** A tone from phase zero. */
    static short[] sine(int length, int rateHz) {
        return sine(0, length, rateHz);
    }

    /**
     * A piece of an endless tone; the phase follows from the sample's number, so pieces join
     * seamlessly.
     *
     * @param first number of the first sample
     */
    static short[] sine(long first, int length, int rateHz) {
        short[] samples = new short[length];
        for (int i = 0; i < length; i++) {
            // 440 Hz repeats exactly each second, which keeps the argument small for ever.
            long inSecond = (first + i) % rateHz;
            double phase = 2 * Math.PI * FREQUENCY_HZ * inSecond / rateHz;
            samples[i] = (short) Math.round(AMPLITUDE * Math.sin(phase));
        }
        return samples;
    }
}
