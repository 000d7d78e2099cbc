package dev.parley.bench.audio;

import dev.parley.app.load.BuiltInVoice;
import dev.parley.transceiver.audio.Pcm;
import java.util.List;

/** Has agents speak without a pause, a second at a time. One thread for all of them. */
final class Voices implements AutoCloseable {
    private static final int RATE_HZ = 24_000;
    private static final int FRAMES = 100;
    private static final byte[][] VOICE = voice();

    private final List<Agent.Call> calls;
    private final String model;
    private final boolean inTurns;
    private final Thread thread = Thread.ofPlatform().name("voices").unstarted(this::run);
    private volatile boolean stopped;

    private Voices(List<Agent.Call> calls, String model, boolean inTurns) {
        this.calls = List.copyOf(calls);
        this.model = model;
        this.inTurns = inTurns;
    }

    static Voices start(List<Agent.Call> calls, String model) {
        return start(calls, model, false);
    }

    /** The same, each second a response of its own. */
    static Voices startInTurns(List<Agent.Call> calls, String model) {
        return start(calls, model, true);
    }

    private static Voices start(List<Agent.Call> calls, String model, boolean inTurns) {
        Voices voices = new Voices(calls, model, inTurns);
        voices.thread.start();
        return voices;
    }

    /** 20 ms of a voice at 24 kHz; the next frame goes on where this one ends. */
    static byte[] frame(int i) {
        return VOICE[i % FRAMES];
    }

    private void run() {
        long next = System.nanoTime() - 1_000_000_000L;
        int second = 0;
        while (!stopped) {
            String response = inTurns ? "r" + second++ : "r";
            for (Agent.Call call : calls) {
                for (int i = 0; i < 50; i++) {
                    call.say(response, model.equals(Agent.OPUS) ? Agent.opus(80) : frame(i));
                }
            }
            next += 1_000_000_000L;
            try {
                Thread.sleep(Math.max(1, (next - System.nanoTime()) / 1_000_000L + 1_000));
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private static byte[][] voice() {
        short[] pcm = BuiltInVoice.pcm(RATE_HZ, RATE_HZ / 50 * FRAMES);
        byte[][] frames = new byte[FRAMES][RATE_HZ / 50 * 2];
        for (int i = 0; i < FRAMES; i++) {
            Pcm.writeS16le(pcm, i * RATE_HZ / 50, RATE_HZ / 50, frames[i], 0);
        }
        return frames;
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
