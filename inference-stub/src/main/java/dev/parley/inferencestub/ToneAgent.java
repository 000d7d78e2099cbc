package dev.parley.inferencestub;

/**
 * Sends 440 Hz without end. It runs at most a second ahead of real time: the edge paces what it
 * gets, so being early is allowed, but audio queued there could not be taken back cheaply.
 */
final class ToneAgent implements Agent {
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
            int length = format.sampleRateHz() * CHUNK_MS / 1_000;
            voice.say(
                    format.encode(Tones.sine(samplesSent, length, format.sampleRateHz())),
                    RESPONSE_ID);
            samplesSent += length;
            sentMs += CHUNK_MS;
        }
    }
}
