package dev.parley.transceiver.speech;

/**
 * Hears in a caller's audio when speech starts and stops. Owned by the session's codec thread;
 * allocates nothing after construction, and what it remembers of a call does not grow.
 */
public final class SpeechDetector {
    /** Samples at 48 kHz of one of ours. */
    private static final int CLOCK = 48_000 / SileroVad.RATE_HZ;

    /** A larger hole than this in the offsets is time without audio, not a rounding. */
    private static final int MAX_HOLE = 480;

    /** After so long a silence the network starts afresh. */
    private static final long FORGET = 48_000 / 2;

    private final SileroVad vad = new SileroVad();
    private final SpeechGate gate;
    private final short[] chunk = new short[SileroVad.CHUNK];
    private int filled;
    private long end;

    /**
     * @param listener called by the thread that brings the audio
     */
    public SpeechDetector(SpeechSettings settings, SpeechGate.Listener listener) {
        gate = new SpeechGate(settings, listener);
    }

    /** Whether speech has started and not stopped. */
    public boolean speaking() {
        return gate.speaking();
    }

    /** Uses other settings from the next piece of audio on. */
    public void use(SpeechSettings settings) {
        gate.use(settings);
    }

    /**
     * Takes the next piece of audio.
     *
     * @param offsetSamples where it begins, at 48 kHz
     * @param pcm its samples at {@link SileroVad#RATE_HZ}, from 0
     */
    public void accept(long offsetSamples, short[] pcm, int samples) {
        long hole = offsetSamples - end;
        if (hole > MAX_HOLE) {
            silence(hole);
        }
        end = offsetSamples;
        int taken = 0;
        while (taken < samples) {
            int more = Math.min(samples - taken, chunk.length - filled);
            System.arraycopy(pcm, taken, chunk, filled, more);
            filled += more;
            taken += more;
            end += (long) more * CLOCK;
            if (filled == chunk.length) {
                filled = 0;
                gate.accept(vad.probability(chunk, 0), end - (long) CLOCK * chunk.length, end);
            }
        }
    }

    /**
     * Takes a time without audio: the client's side is silent (DTX) or gone.
     *
     * @param samples its length at 48 kHz
     */
    public void silence(long samples) {
        filled = 0;
        gate.accept(0, end, end + samples);
        end += samples;
        if (samples >= FORGET) {
            vad.reset();
        }
    }
}
