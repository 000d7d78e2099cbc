package dev.parley.transceiver.speech;

/**
 * Makes speech that starts and stops out of probabilities. It takes more to start than to go on,
 * and a pause shorter than asked for does not stop it. Offsets are samples at 48 kHz. Owned by one
 * {@link SpeechDetector}.
 */
public final class SpeechGate {
    /** Hears of speech. */
    public interface Listener {
        /** Speech has started at this offset, the padding before it included. */
        void started(long offsetSamples);

        /** Speech has stopped at this offset. */
        void stopped(long offsetSamples);
    }

    private static final int SAMPLES_PER_MILLI = 48;

    /** Below the threshold by so much speech goes on, as in Silero's own iterator. */
    private static final float HYSTERESIS = 0.15f;

    /** Likely speech in a row before it counts: clicks and notes are shorter. */
    private static final int ONSET_SAMPLES = 60 * SAMPLES_PER_MILLI;

    private static final long NONE = -1;

    private SpeechSettings settings;
    private final Listener listener;
    private boolean speaking;
    private long likelySince = NONE;
    private long silentSince = NONE;
    private long lastStop;

    public SpeechGate(SpeechSettings settings, Listener listener) {
        this.settings = settings;
        this.listener = listener;
    }

    /** Uses other settings from the next piece of audio on. */
    void use(SpeechSettings changed) {
        settings = changed;
    }

    public boolean speaking() {
        return speaking;
    }

    /**
     * Takes the probability of the next piece of audio.
     *
     * @param from where the piece begins
     * @param to where it ends
     */
    public void accept(float probability, long from, long to) {
        if (speaking) {
            goOn(probability, from, to);
        } else if (probability < settings.threshold()) {
            likelySince = NONE;
        } else {
            likelySince = likelySince == NONE ? from : likelySince;
            if (to - likelySince >= ONSET_SAMPLES) {
                start();
            }
        }
    }

    private void start() {
        speaking = true;
        silentSince = NONE;
        long padding = (long) settings.prefixPaddingMillis() * SAMPLES_PER_MILLI;
        listener.started(Math.max(likelySince - padding, lastStop));
        likelySince = NONE;
    }

    private void goOn(float probability, long from, long to) {
        if (probability >= settings.threshold()) {
            silentSince = NONE;
        } else if (silentSince == NONE && probability < settings.threshold() - HYSTERESIS) {
            silentSince = from;
        }
        if (silentSince != NONE
                && to - silentSince
                        >= (long) settings.silenceDurationMillis() * SAMPLES_PER_MILLI) {
            speaking = false;
            lastStop = silentSince;
            listener.stopped(silentSince);
        }
    }
}
