package dev.parley.bench.audio;

import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusPacket;
import dev.parley.transceiver.audio.Pcm;
import dev.parley.transceiver.speech.SileroVad;
import dev.parley.transceiver.speech.SpeechGate;
import dev.parley.transceiver.speech.SpeechSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * How well speech detectors tell speech from what is none, after Opus at 24 kb/s as a caller's
 * client codes it. All of them decide through the same {@link SpeechGate}. Prints Markdown.
 *
 * <p>Argument: a folder of recordings, {@code NAME.s16} (raw, 16 bit little-endian, mono, 16 kHz)
 * with {@code NAME.lab} beside it: a line {@code FROM TO} in samples for each utterance, none for
 * what is no speech.
 */
public final class SpeechBench {
    /** A detector of one stream. */
    public interface Detector {
        /** Samples that it takes at a time. */
        int chunk();

        /** How likely the chunk holds speech. */
        float probability(short[] pcm, int offset, boolean opusVoice);
    }

    /** An utterance, or what a detector took for one; {@code heardAt} is when it said so. */
    private record Span(long from, long to, long heardAt) {}

    @SuppressWarnings("ArrayRecordComponent") // Compared by no one.
    private record Recording(String name, short[] pcm, boolean[] opusVoice, List<Span> spoken) {}

    private static final int RATE_HZ = 16_000;
    private static final int FRAME = RATE_HZ / 50;
    private static final int CLOCK = 3;
    private static final SpeechSettings SETTINGS = new SpeechSettings(0.5f, 0, 500);

    private SpeechBench() {}

    /** Runs the detectors of the product. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: ./parley bench speech FOLDER");
            System.exit(2);
        }
        Map<String, Supplier<Detector>> detectors = new LinkedHashMap<>();
        detectors.put("level", Level::new);
        detectors.put("Opus encoder's", OpusVoice::new);
        detectors.put("Silero 6", Silero::new);
        run(Path.of(arguments[0]), detectors);
    }

    /** Prints a table for these detectors. */
    public static void run(Path folder, Map<String, Supplier<Detector>> detectors)
            throws IOException {
        List<Recording> recordings = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".s16")).sorted().toList()) {
                recordings.add(read(file));
            }
        }
        System.out.println(
                "| recording | detector | recall | precision | utterances missed | false starts"
                        + " per minute | start after, ms p50 / p95 | stop after, ms p50 | CPU,"
                        + " ms per s |");
        System.out.println("|---|---|---|---|---|---|---|---|---|");
        for (Recording recording : recordings) {
            for (Map.Entry<String, Supplier<Detector>> each : detectors.entrySet()) {
                run(recording, each.getKey(), each.getValue());
            }
        }
    }

    private static Recording read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        short[] pcm = new short[bytes.capacity() / 2 / FRAME * FRAME];
        bytes.order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(pcm);
        String name = file.getFileName().toString().replace(".s16", "");
        List<Span> spoken = new ArrayList<>();
        for (String line : Files.readAllLines(file.resolveSibling(name + ".lab"))) {
            String[] ends = line.split(" ", -1);
            spoken.add(new Span(Long.parseLong(ends[0]), Long.parseLong(ends[1]), 0));
        }
        return coded(name, pcm, spoken);
    }

    private static Recording coded(String name, short[] pcm, List<Span> spoken) {
        short[] heard = new short[pcm.length + RATE_HZ];
        boolean[] voice = new boolean[pcm.length / FRAME];
        ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
        OpusPacket framing = new OpusPacket();
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(RATE_HZ);
                OpusDecoder decoder = OpusLibrary.best().newDecoder(RATE_HZ)) {
            encoder.bitrate(24_000);
            encoder.complexity(9);
            for (int i = 0; i < voice.length; i++) {
                int length = encoder.encode(pcm, i * FRAME, FRAME, packet, 0, packet.capacity());
                voice[i] = framing.wrap(packet, 0, length) && framing.hasVoice();
                decoder.decode(packet, 0, length, heard, i * FRAME);
            }
        }
        return new Recording(name, Arrays.copyOf(heard, pcm.length), voice, spoken);
    }

    private static void run(Recording recording, String name, Supplier<Detector> detectors) {
        detect(recording, detectors.get());
        Detector detector = detectors.get();
        long before = System.nanoTime();
        List<Span> found = detect(recording, detector);
        double seconds = (double) recording.pcm().length / RATE_HZ;
        double cost = (System.nanoTime() - before) / 1e6 / seconds;
        Score score = score(recording, found);
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %.2f | %s / %s | %s | %.2f |%n",
                recording.name(),
                name,
                percent(score.hit, score.spoken),
                percent(score.hit, score.found),
                recording.spoken().isEmpty()
                        ? "-"
                        : score.missed + " of " + recording.spoken().size(),
                score.falseStarts * 60 / seconds,
                quantile(score.starts, 0.5),
                quantile(score.starts, 0.95),
                quantile(score.stops, 0.5),
                cost);
    }

    private static List<Span> detect(Recording recording, Detector detector) {
        List<Span> found = new ArrayList<>();
        long[] now = new long[1];
        SpeechGate gate =
                new SpeechGate(
                        SETTINGS,
                        new SpeechGate.Listener() {
                            private long from;
                            private long heardAt;

                            @Override
                            public void started(long offset) {
                                from = offset / CLOCK;
                                heardAt = now[0];
                            }

                            @Override
                            public void stopped(long offset) {
                                found.add(new Span(from, offset / CLOCK, heardAt));
                            }
                        });
        int chunk = detector.chunk();
        int end = recording.pcm().length;
        for (int at = 0; at + chunk <= end; at += chunk) {
            now[0] = (long) at + chunk;
            float probability =
                    detector.probability(recording.pcm(), at, recording.opusVoice()[at / FRAME]);
            gate.accept(probability, (long) at * CLOCK, ((long) at + chunk) * CLOCK);
        }
        gate.accept(0, (long) end * CLOCK, ((long) end + RATE_HZ) * CLOCK);
        return found;
    }

    private static final class Score {
        private long hit;
        private long spoken;
        private long found;
        private int missed;
        private int falseStarts;
        private final List<Long> starts = new ArrayList<>();
        private final List<Long> stops = new ArrayList<>();
    }

    private static Score score(Recording recording, List<Span> found) {
        Score score = new Score();
        for (Span utterance : recording.spoken()) {
            score.spoken += utterance.to() - utterance.from();
            Span first = null;
            for (Span span : found) {
                long overlap = overlap(utterance, span);
                score.hit += overlap;
                if (overlap > 0 && first == null) {
                    first = span;
                }
            }
            if (first == null) {
                score.missed++;
            } else {
                score.starts.add((first.heardAt() - utterance.from()) * 1_000 / RATE_HZ);
                score.stops.add((first.to() - utterance.to()) * 1_000 / RATE_HZ);
            }
        }
        for (Span span : found) {
            score.found += span.to() - span.from();
            if (recording.spoken().stream().noneMatch(u -> overlap(u, span) > 0)) {
                score.falseStarts++;
            }
        }
        return score;
    }

    private static long overlap(Span a, Span b) {
        return Math.max(0, Math.min(a.to(), b.to()) - Math.max(a.from(), b.from()));
    }

    private static String percent(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    private static String quantile(List<Long> values, double share) {
        List<Long> sorted = values.stream().sorted().toList();
        return sorted.isEmpty() ? "-" : String.valueOf(sorted.get((int) (share * sorted.size())));
    }

    private static final class Silero implements Detector {
        private final SileroVad vad = new SileroVad();

        @Override
        public int chunk() {
            return SileroVad.CHUNK;
        }

        @Override
        public float probability(short[] pcm, int offset, boolean opusVoice) {
            return vad.probability(pcm, offset);
        }
    }

    /** The voice bit of the client's own encoder, RFC 6716 4.2.3. */
    private static final class OpusVoice implements Detector {
        @Override
        public int chunk() {
            return FRAME;
        }

        @Override
        public float probability(short[] pcm, int offset, boolean opusVoice) {
            return opusVoice ? 1 : 0;
        }
    }

    /** Louder than the background by 9 dB. */
    private static final class Level implements Detector {
        private double background = -55;

        @Override
        public int chunk() {
            return FRAME;
        }

        @Override
        public float probability(short[] pcm, int offset, boolean opusVoice) {
            int level = Pcm.levelDbov(pcm, offset, FRAME);
            background = Math.min(level, background + 0.04);
            return level > -55 && level > background + 9 ? 1 : 0;
        }
    }
}
