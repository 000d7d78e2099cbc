package dev.parley.inferencestub;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;

/**
 * Speaks through the program espeak-ng, a process per sentence on a virtual thread. At most a few
 * processes run at once; the rest wait.
 */
final class EspeakSynthesizer implements Synthesizer {
    private static final String PROGRAM = "espeak-ng";
    private static final int MAX_PROCESSES = 4;
    private static final int MAX_TEXT = 2_000;
    private static final long MAX_SECONDS = 10;

    /** Three minutes at the rate that espeak-ng speaks at. */
    private static final int MAX_BYTES = 22_050 * 2 * 180;

    private final Executor threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore processes = new Semaphore(MAX_PROCESSES);

    @Override
    public boolean available() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(path)
                .anyMatch(folder -> new File(folder, PROGRAM).canExecute());
    }

    @Override
    public CompletableFuture<short[]> speak(String text, int rateHz) {
        CompletableFuture<short[]> speech = new CompletableFuture<>();
        threads.execute(
                () -> {
                    try {
                        speech.complete(run(text, rateHz));
                    } catch (IOException | UnsupportedAudioFileException e) {
                        speech.completeExceptionally(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        speech.completeExceptionally(e);
                    }
                });
        return speech;
    }

    private short[] run(String text, int rateHz)
            throws IOException, UnsupportedAudioFileException, InterruptedException {
        processes.acquire();
        try {
            // The text goes in by standard input, so that none can pass for an option.
            Process process =
                    new ProcessBuilder(PROGRAM, "--stdin", "--stdout", "-v", "en", "-s", "165")
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try (InputStream out = process.getInputStream()) {
                String spoken = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
                process.getOutputStream().write(spoken.getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().close();
                byte[] wav = out.readNBytes(MAX_BYTES);
                if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw new IOException(PROGRAM + " has failed");
                }
                return samples(wav, rateHz);
            } finally {
                process.destroyForcibly();
            }
        } finally {
            processes.release();
        }
    }

    /** Reads a WAV file of 16 bit mono and brings it to another rate. */
    private static short[] samples(byte[] wav, int rateHz)
            throws IOException, UnsupportedAudioFileException {
        // A stream's length is not known when its header is written, so the header's is not used.
        try (AudioInputStream header =
                        AudioSystem.getAudioInputStream(new ByteArrayInputStream(wav));
                AudioInputStream source =
                        new AudioInputStream(
                                header,
                                pcm(header.getFormat().getSampleRate()),
                                AudioSystem.NOT_SPECIFIED);
                AudioInputStream converted = AudioSystem.getAudioInputStream(pcm(rateHz), source)) {
            byte[] bytes = converted.readAllBytes();
            short[] samples = new short[bytes.length / 2];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(samples);
            return samples;
        }
    }

    private static AudioFormat pcm(float rateHz) {
        // The JDK's converter interpolates linearly unless told otherwise.
        return new AudioFormat(
                AudioFormat.Encoding.PCM_SIGNED,
                rateHz,
                16,
                1,
                2,
                rateHz,
                false,
                Map.of("interpolation", "sinc"));
    }
}
