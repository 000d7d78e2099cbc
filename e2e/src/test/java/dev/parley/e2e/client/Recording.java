package dev.parley.e2e.client;

import dev.onvoid.webrtc.media.audio.AudioTrackSink;
import java.util.Arrays;

/**
 * Keeps what a remote track plays, mixed to mono. libwebrtc's playout thread writes, any thread
 * reads.
 */
final class Recording implements AudioTrackSink {
    private static final int LONGEST_SECONDS = 300;
    // Comfort noise and codec noise stay below, a whisper does not: -50 dBov.
    private static final int AUDIBLE = 100;

    private short[] samples = new short[48_000];
    private int length;
    private int sampleRateHz = 48_000;
    private long firstAudibleNanos;

    @Override
    public synchronized void onData(
            byte[] data, int bitsPerSample, int rateHz, int channels, int frames) {
        if (bitsPerSample != 16 || length > LONGEST_SECONDS * rateHz) {
            return;
        }
        sampleRateHz = rateHz;
        if (length + frames > samples.length) {
            samples = Arrays.copyOf(samples, 2 * (length + frames));
        }
        for (int i = 0; i < frames; i++) {
            int sum = 0;
            for (int channel = 0; channel < channels; channel++) {
                int at = 2 * (i * channels + channel);
                sum += (short) ((data[at] & 0xFF) | (data[at + 1] << 8));
            }
            short sample = (short) (sum / channels);
            if (firstAudibleNanos == 0 && Math.abs(sample) >= AUDIBLE) {
                firstAudibleNanos = System.nanoTime();
            }
            samples[length++] = sample;
        }
    }

    synchronized Wav wav() {
        return new Wav(sampleRateHz, Arrays.copyOf(samples, length));
    }

    /** When the first sample that can be heard was played, 0 before. */
    synchronized long firstAudibleNanos() {
        return firstAudibleNanos;
    }
}
