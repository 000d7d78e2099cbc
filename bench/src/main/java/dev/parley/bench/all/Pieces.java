package dev.parley.bench.all;

import dev.parley.app.load.BuiltInVoice;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.ice.IceLite;
import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteToken;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpProfile;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusEncoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What the parts of a packet's way cost by themselves, in processor time of one thread: unlike time
 * that passes it hardly moves with what else the machine does.
 */
final class Pieces {
    private static final long ROUND_NANOS = 300_000_000L;
    private static final int WARM_UP_ROUNDS = 5;
    private static final int PAYLOAD_BYTES = 120;
    private static final int RATE_HZ = 24_000;
    private static final int FRAME = RATE_HZ / 50;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Random random = new Random(1);
    private long blackHole;

    /** Does something once; answers whatever must not be optimised away. */
    @FunctionalInterface
    private interface Work {
        long once();
    }

    /** Microseconds by name, a value for each round. */
    Map<String, List<Double>> measure(int rounds) {
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        for (SrtpProfile profile : SrtpProfile.values()) {
            figures.put(
                    "srtp." + profile.name().toLowerCase(Locale.ROOT),
                    rounds(rounds, srtp(profile)));
        }
        figures.put("stun.check_answered", rounds(rounds, check()));
        figures.put("route.token_opened", rounds(rounds, token()));
        opus(rounds, figures);
        if (blackHole == 42) {
            System.err.println();
        }
        return figures;
    }

    private List<Double> rounds(int rounds, Work work) {
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            var _ = micros(work);
        }
        return IntStream.range(0, rounds).mapToObj(_ -> micros(work)).toList();
    }

    private double micros(Work work) {
        long count = 0;
        long start = threads.getCurrentThreadCpuTime();
        long used = 0;
        while (used < ROUND_NANOS) {
            for (int i = 0; i < 64; i++) {
                blackHole += work.once();
            }
            count += 64;
            used = threads.getCurrentThreadCpuTime() - start;
        }
        return used / 1e3 / count;
    }

    /** A packet protected and unprotected. */
    private Work srtp(SrtpProfile profile) {
        byte[] key = new byte[SrtpProfile.KEY_LENGTH];
        byte[] salt = new byte[profile.saltLength()];
        random.nextBytes(key);
        random.nextBytes(salt);
        SrtpKeys keys = new SrtpKeys(profile, key, salt);
        SrtpSender sender = new SrtpSender(keys);
        SrtpReceiver receiver = new SrtpReceiver(keys);
        ByteBuffer packet = ByteBuffer.allocateDirect(RtpWriter.HEADER_LENGTH + PAYLOAD_BYTES + 64);
        int[] sequence = new int[1];
        return () -> {
            RtpWriter.writeHeader(packet, 0, false, 111, sequence[0]++, 0, 0x1234_5678);
            int length = sender.protectRtp(packet, 0, RtpWriter.HEADER_LENGTH + PAYLOAD_BYTES);
            return receiver.unprotectRtp(packet, 0, length);
        };
    }

    /** A check read, authenticated and answered. */
    private Work check() {
        IceCredentials ours = IceCredentials.random(random);
        IceCredentials theirs = IceCredentials.random(random);
        IceControlling client =
                new IceControlling(theirs, ours, IceControlling.Nomination.AGGRESSIVE, random, 0);
        ByteBuffer request = ByteBuffer.allocateDirect(StunWriter.MAX_LENGTH);
        ByteBuffer answer = ByteBuffer.allocateDirect(StunWriter.MAX_LENGTH);
        int length = client.poll(0, request, 0);
        IceLite server = new IceLite(ours, theirs, Long.MAX_VALUE / 4, random);
        StunReader stun = new StunReader();
        IcePath from = new IcePath().client(0, 0xFFFF_7F00_0001L, 4_000);
        return () -> {
            var _ = stun.wrap(request, 0, length);
            var _ = server.handle(stun, from, 0, answer, 0);
            return server.answerLength();
        };
    }

    private Work token() {
        byte[] key = new byte[RouteKeys.KEY_LENGTH];
        random.nextBytes(key);
        RouteTokens tokens = new RouteTokens(RouteKeys.of(Map.of(1, key)));
        String ufrag = tokens.mint(1, 3, 4, 0, 0, 0xFFFF_0A00_0001L, 7_200);
        ByteBuffer bytes = ByteBuffer.allocateDirect(100);
        bytes.put(0, ufrag.getBytes(StandardCharsets.US_ASCII));
        RouteToken into = new RouteToken();
        return () -> tokens.open(bytes, 0, ufrag.length(), into).ordinal();
    }

    /** 20 ms of voice. */
    private void opus(int rounds, Map<String, List<Double>> figures) {
        short[] voice = BuiltInVoice.pcm(RATE_HZ, RATE_HZ * 4);
        ByteBuffer packet = ByteBuffer.allocateDirect(OpusDecoder.MAX_PACKET_BYTES);
        short[] pcm = new short[RATE_HZ];
        int[] frame = new int[1];
        OpusLibrary library = OpusLibrary.best();
        try (OpusEncoder encoder = library.newEncoder(RATE_HZ);
                OpusDecoder decoder = library.newDecoder(RATE_HZ)) {
            encoder.apply(OpusSettings.VOICE);
            Work encode =
                    () -> {
                        int at = frame[0]++ % (voice.length / FRAME) * FRAME;
                        return encoder.encode(voice, at, FRAME, packet, 0, packet.capacity());
                    };
            figures.put("opus.encode_20ms", rounds(rounds, encode));
            int length = (int) encode.once();
            figures.put(
                    "opus.decode_20ms",
                    rounds(rounds, () -> decoder.decode(packet, 0, length, pcm, 0)));
        }
    }
}
