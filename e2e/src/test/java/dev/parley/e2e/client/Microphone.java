package dev.parley.e2e.client;

import dev.onvoid.webrtc.media.audio.CustomAudioSource;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Feeds a track 10 ms of audio each 10 ms, as a sound card would: what it was given to say, and
 * silence in between. One thread of its own runs it.
 */
final class Microphone {
    private static final long PERIOD_NANOS = 10_000_000;

    private record Speech(Wav audio, CompletableFuture<Void> said) {}

    private final CustomAudioSource source;
    private final BlockingQueue<Speech> waiting = new LinkedBlockingQueue<>();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("microphone").unstarted(this::run);
    private volatile boolean stopped;
    private @Nullable Speech current;
    private int at;

    Microphone(CustomAudioSource source) {
        this.source = source;
    }

    void start() {
        thread.start();
    }

    /** Says the audio after what waits already; the answer completes with its last sample. */
    CompletableFuture<Void> say(Wav audio) {
        Speech speech = new Speech(audio, new CompletableFuture<>());
        waiting.add(speech);
        return speech.said();
    }

    /** Returns when the source is touched no more. */
    void stop() {
        stopped = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                // The source must not be freed under the thread.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long deadline = System.nanoTime();
        while (!stopped) {
            push();
            deadline += PERIOD_NANOS;
            // An absolute schedule: a late turn is made up for by the ones after it.
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }

    private void push() {
        if (current == null) {
            current = waiting.poll();
            at = 0;
        }
        int rateHz = current == null ? 48_000 : current.audio().sampleRateHz();
        int frames = rateHz / 100;
        byte[] bytes = new byte[2 * frames];
        if (current != null) {
            short[] samples = current.audio().samples();
            for (int i = 0; i < frames && at < samples.length; i++) {
                short sample = samples[at++];
                bytes[2 * i] = (byte) sample;
                bytes[2 * i + 1] = (byte) (sample >> 8);
            }
        }
        source.pushAudio(bytes, 16, rateHz, 1, frames);
        if (current != null && at >= current.audio().samples().length) {
            current.said().complete(null);
            current = null;
        }
    }
}
