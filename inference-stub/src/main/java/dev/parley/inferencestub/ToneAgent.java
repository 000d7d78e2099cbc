package dev.parley.inferencestub;

/**
 * Sends 440 Hz without end. It runs at most a second ahead of real time: the edge paces what it
 * gets, so being early is allowed, but audio queued there could not be taken back cheaply.
 */
final class ToneAgent implements Agent {
    private static final double FREQUENCY_HZ = 440;
    private static final double AMPLITUDE = 0.25 * Short.MAX_VALUE;
    private static final int CHUNK_MS = 100;
    private static final long AHEAD_MS = 1_000;
    private static final String RESPONSE_ID = "tone";

    private final WireFormat format;
    private final Voice voice;
    private long beginNanos;
    private long sentMs;
    private long samplesSent;

    ToneAgent(WireFormat format, Voice voice) {
        this.format = format;
        this.voice = voice;
    }

    @Override
    public void onTick(long nowNanos) {
        if (samplesSent == 0) {
            beginNanos = nowNanos;
        }
        long elapsedMs = (nowNanos - beginNanos) / 1_000_000;
        if (elapsedMs > sentMs) {
            // The edge took nothing for a while and has run dry: go on from now, do not catch up.
            beginNanos = nowNanos - sentMs * 1_000_000;
            elapsedMs = sentMs;
        }
        while (sentMs < elapsedMs + AHEAD_MS && voice.isReady()) {
            voice.say(format.encode(chunk()), RESPONSE_ID);
            sentMs += CHUNK_MS;
        }
    }

    /** The next samples; the phase follows from the sample's number, so chunks join seamlessly. */
    private short[] chunk() {
        short[] samples = new short[format.sampleRateHz() * CHUNK_MS / 1_000];
        for (int i = 0; i < samples.length; i++) {
            // 440 Hz repeats exactly each second, which keeps the argument small for ever.
            long inSecond = samplesSent++ % format.sampleRateHz();
            double phase = 2 * Math.PI * FREQUENCY_HZ * inSecond / format.sampleRateHz();
            samples[i] = (short) Math.round(AMPLITUDE * Math.sin(phase));
        }
        return samples;
    }
}
