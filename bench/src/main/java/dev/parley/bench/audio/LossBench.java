package dev.parley.bench.audio;

import dev.parley.transceiver.audio.OpusLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What packet loss on the way from the client leaves of a voice, and how late it makes it: a voice
 * is coded as Chromium does, its packets are lost, delayed and repaired in simulated time, and the
 * product's own input path makes 16 kHz PCM of what comes. Prints Markdown.
 *
 * <p>Argument: a WAV file, PCM 16 bit mono at 16 kHz with a plain header.
 */
public final class LossBench {
    private static final int HEADER_BYTES = 44;
    private static final int RATE_HZ = 16_000;

    private LossBench() {}

    public static void main(String[] arguments) throws IOException {
        String file =
                arguments.length > 0 ? arguments[0] : "e2e/src/test/resources/speech/caller.wav";
        ByteBuffer wav =
                ByteBuffer.wrap(Files.readAllBytes(Path.of(file))).order(ByteOrder.LITTLE_ENDIAN);
        if (wav.getInt(24) != RATE_HZ) {
            throw new IllegalArgumentException(file + " is not at 16 kHz");
        }
        short[] voice = new short[(wav.capacity() - HEADER_BYTES) / 2];
        wav.position(HEADER_BYTES).asShortBuffer().get(voice);
        System.out.printf(
                Locale.ROOT,
                "%s, %.0f s; %s; round trip 40 ms, jitter to 5 ms; delay behind an undisturbed"
                        + " packet%n%n",
                Path.of(file).getFileName(),
                (double) voice.length / RATE_HZ,
                OpusLibrary.best().description());
        System.out.println(
                "| loss | repair | kb/s | copies | sent again | FEC | concealed audio | missing"
                        + " audio | delay ms p50 / p99 / max | fwSNRseg dB | LSD dB |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|---|");
        for (boolean bursts : new boolean[] {false, true}) {
            for (int percent : new int[] {0, 1, 5, 10, 20}) {
                if (percent > 0 || !bursts) {
                    run(voice, percent, bursts);
                }
            }
        }
    }

    private static void run(short[] voice, int percent, boolean bursts) {
        String loss = percent + " %" + (bursts ? " in bursts" : "");
        for (LossRun.Repair repair : LossRun.Repair.values()) {
            LossRun.Result result = new LossRun(voice, percent, bursts, repair).run();
            VoiceQuality.Figures figures = result.quality();
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.0f | %d | %d | %d | %.2f %% | %.2f %% | %.0f / %.0f / %.0f |"
                            + " %.2f | %.2f |%n",
                    loss,
                    repair.label(),
                    result.kilobits(),
                    result.copies(),
                    result.again(),
                    result.fec(),
                    result.concealedPercent(),
                    result.missingPercent(),
                    result.delay(0.5),
                    result.delay(0.99),
                    result.delay(1),
                    figures.weightedSnrDb(),
                    figures.distanceDb());
        }
    }
}
