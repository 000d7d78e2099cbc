package dev.parley.bench.audio;

import dev.parley.rtc.sdp.SdpCodec;
import dev.parley.rtc.sdp.SdpFormats;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.VoiceDecoder;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.InputRepair;
import dev.parley.transceiver.media.VoiceInput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/** One voice over one lossy path with one way of repairing it, in simulated time. */
final class LossRun implements InputPath.Sink, VoiceInput.Sink {
    /** What client and edge do about loss. */
    enum Repair {
        NONE("none", false, false, false),
        FEC("FEC", true, false, false),
        NACK_ALONE("NACK", false, false, true),
        NACK("FEC, NACK", true, false, true),
        RED_ALONE("RED", false, true, false),
        RED("FEC, RED", true, true, false),
        ALL("FEC, RED, NACK", true, true, true);

        private final String label;
        private final boolean fec;
        private final boolean red;
        private final boolean nack;

        Repair(String label, boolean fec, boolean red, boolean nack) {
            this.label = label;
            this.fec = fec;
            this.red = red;
            this.nack = nack;
        }

        String label() {
            return label;
        }
    }

    /** What came of it. */
    record Result(
            double kilobits,
            long copies,
            long again,
            long fec,
            double concealedPercent,
            double missingPercent,
            List<Double> delays,
            VoiceQuality.Figures quality) {
        double delay(double share) {
            return delays.get((int) Math.min(share * delays.size(), delays.size() - 1));
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // Compared by no one.
    private record Datagram(long atNanos, int sequence, byte[] payload, boolean red) {}

    private static final int RATE_HZ = 16_000;
    private static final int FRAME = RATE_HZ / 50;
    private static final int CLOCK = 48_000 / RATE_HZ;
    private static final int OPUS = 111;
    private static final int RED = 63;
    private static final long MILLI = 1_000_000L;
    private static final long PACKET_NANOS = 20 * MILLI;
    private static final long ONE_WAY_NANOS = 20 * MILLI;
    private static final int JITTER_MILLIS = 5;
    private static final long MAX_WAIT_NANOS = 60 * MILLI;
    private static final InferenceFormat FORMAT = new InferenceFormat(Encoding.LINEAR16, RATE_HZ);

    private final short[] voice;
    private final int lossPercent;
    private final Repair repair;
    private final LossModel loss;
    private final Random random = new Random(11);
    private final AudioCounters counters = new AudioCounters();
    private final InputPath path;
    private final VoiceInput decoding;
    private final PriorityQueue<Datagram> wire =
            new PriorityQueue<>((a, b) -> Long.compare(a.atNanos(), b.atNanos()));
    private final List<Datagram> sent = new ArrayList<>();
    private final List<Double> delays = new ArrayList<>();
    private final short[] heard;
    private final boolean[] covered;
    private long concealed;
    private long bytes;
    private long now;

    LossRun(short[] voice, int lossPercent, boolean bursts, Repair repair) {
        this.voice = voice;
        this.lossPercent = lossPercent;
        this.repair = repair;
        this.loss = new LossModel(lossPercent / 100.0, bursts, 5);
        SdpCodec opus = new SdpCodec(OPUS, "opus", 48_000, 2, Map.of());
        SdpFormats formats =
                new SdpFormats(opus, repair.red ? RED : SdpFormats.NONE, null, repair.nack);
        path = new InputPath(formats, MAX_WAIT_NANOS, this, counters);
        path.roundTrip(2 * ONE_WAY_NANOS);
        decoding =
                new VoiceInput(
                                new VoiceInput.Source(
                                        true,
                                        format -> VoiceDecoder.ofOpus(OpusLibrary.best(), format)),
                                counters)
                        .decode(FORMAT, this);
        heard = new short[voice.length + RATE_HZ];
        covered = new boolean[voice.length / FRAME + 1];
    }

    Result run() {
        send();
        while (!wire.isEmpty()) {
            Datagram next = wire.remove();
            passTime(next.atNanos());
            deliver(next);
        }
        passTime(now + 1_000 * MILLI);
        decoding.close();
        delays.sort(Double::compare);
        int frames = voice.length / FRAME;
        long missing = 0;
        for (int i = 0; i < frames; i++) {
            missing += covered[i] ? 0 : 1;
        }
        VoiceQuality quality = new VoiceQuality(voice, RATE_HZ);
        return new Result(
                bytes * 8.0 * RATE_HZ / voice.length / 1_000,
                counters.count(InputRepair.RED),
                counters.count(InputRepair.RETRANSMISSION),
                counters.count(InputRepair.FEC),
                100.0 * concealed / voice.length,
                100.0 * missing / frames,
                delays,
                quality.compare(heard, frames * FRAME, quality.delay(heard)));
    }

    /** Codes as Chromium does on a computer: 32 kb/s, complexity 9, FEC by the loss it is told. */
    private void send() {
        ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
        byte[] before = new byte[0];
        try (OpusEncoder encoder = OpusLibrary.best().newEncoder(RATE_HZ)) {
            encoder.bitrate(32_000);
            encoder.complexity(9);
            encoder.inbandFec(repair.fec);
            encoder.expectedLossPercent(repair.fec ? lossPercent : 0);
            for (int i = 0; (i + 1) * FRAME <= voice.length; i++) {
                int length = encoder.encode(voice, i * FRAME, FRAME, packet, 0, packet.capacity());
                byte[] own = new byte[length];
                packet.get(0, own);
                byte[] payload = repair.red ? red(before, own) : own;
                bytes += payload.length;
                Datagram datagram = new Datagram(i * PACKET_NANOS, i, payload, repair.red);
                sent.add(datagram);
                // The first arrives, or there would be nothing to be late against.
                if (i == 0 || !loss.loses()) {
                    arrive(datagram, i * PACKET_NANOS);
                }
                before = own;
            }
        }
    }

    /** RFC 2198 3: one copy of the packet before. */
    private static byte[] red(byte[] before, byte[] own) {
        boolean copy = before.length > 0 && before.length < 1_024;
        ByteBuffer payload = ByteBuffer.allocate((copy ? 4 + before.length : 0) + 1 + own.length);
        if (copy) {
            payload.putInt(((0x80 | OPUS) << 24) | (960 << 10) | before.length);
        }
        payload.put((byte) OPUS);
        if (copy) {
            payload.put(before);
        }
        return payload.put(own).array();
    }

    private void arrive(Datagram datagram, long sentNanos) {
        long jitter = random.nextInt(JITTER_MILLIS * 1_000) * 1_000L;
        wire.add(
                new Datagram(
                        sentNanos + ONE_WAY_NANOS + jitter,
                        datagram.sequence(),
                        datagram.payload(),
                        datagram.red()));
    }

    private void passTime(long until) {
        while (path.waiting() && path.deadlineNanos() - until <= 0) {
            now = Math.max(now, path.deadlineNanos());
            path.onDeadline(now);
            decode();
        }
        now = Math.max(now, until);
    }

    private void deliver(Datagram datagram) {
        var _ =
                path.accept(
                        datagram.sequence(),
                        datagram.red() ? RED : OPUS,
                        datagram.sequence() * 960,
                        InputPacket.UNKNOWN,
                        ByteBuffer.wrap(datagram.payload()),
                        0,
                        datagram.payload().length,
                        now);
        decode();
        if (path.gaps().requestPending()) {
            request(path.gaps().requestFirst());
            for (int bit = 0; bit < Short.SIZE; bit++) {
                if (((path.gaps().requestFollowing() >> bit) & 1) != 0) {
                    request(path.gaps().requestFirst() + bit + 1);
                }
            }
            path.gaps().requested();
        }
    }

    /** The request travels to the client and the packet back; either may be lost as well. */
    private void request(int sequence) {
        boolean requestLost = loss.loses();
        if (!requestLost && !loss.loses()) {
            bytes += sent.get(sequence).payload().length;
            arrive(sent.get(sequence), now + ONE_WAY_NANOS);
        }
    }

    private void decode() {
        while (decoding.runOnce(now)) {}
    }

    @Override
    public void packet(InputPacket packet) {
        long undisturbed = packet.offsetSamples() / 960 * PACKET_NANOS + ONE_WAY_NANOS;
        delays.add((now - undisturbed) / 1e6);
        decoding.packet(packet);
    }

    @Override
    public void key(char key, int durationMillis) {
        throw new AssertionError("no keys here");
    }

    @Override
    public void audio(
            long offsetSamples,
            byte[] pcm,
            int lengthBytes,
            int samples,
            int made,
            int levelDbov,
            int voiceActivity) {
        concealed += made;
        int at = (int) (offsetSamples / CLOCK);
        ByteBuffer.wrap(pcm)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asShortBuffer()
                .get(heard, at, Math.min(samples, heard.length - at));
        int first = (at + FRAME / 2) / FRAME;
        int last = Math.min((at + samples + FRAME / 2) / FRAME, covered.length);
        Arrays.fill(covered, Math.min(first, last), last, true);
    }
}
