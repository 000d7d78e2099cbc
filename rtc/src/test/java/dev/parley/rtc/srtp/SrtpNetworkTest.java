package dev.parley.rtc.srtp;

import static dev.parley.rtc.srtp.Packets.OFFSET;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several sources over a network that loses, repeats and reorders, across many wraps. */
class SrtpNetworkTest {
    private static final int SOURCES = 3;

    /** One protected packet on its way. */
    private record Sent(int ssrc, long index, String bytes) {}

    private final ByteBuffer buffer = Packets.buffer();

    @ParameterizedTest
    @CsvSource({
        "AEAD_AES_128_GCM,1",
        "AEAD_AES_128_GCM,2",
        "AES128_CM_SHA1_80,3",
        "AES128_CM_SHA1_80,4"
    })
    void deliversEachPacketOnceAndAsItWas(SrtpProfile profile, long seed) {
        Random random = new Random(seed);
        var sender = new SrtpSender(Packets.keys(profile));
        var receiver = new SrtpReceiver(Packets.keys(profile));
        long[] next = new long[SOURCES];
        for (int i = 0; i < SOURCES; i++) {
            // RFC 3711 3.3.1: below 2^15, so that a lost beginning loses no cycle.
            next[i] = random.nextInt(32_768);
        }
        List<Sent> onTheWay = new ArrayList<>();
        for (int round = 0; round < 20_000; round++) {
            int source = random.nextInt(SOURCES);
            // Gaps are long, and with what is reordered stay below half of the sequence numbers.
            next[source] += 1 + (random.nextInt(50) == 0 ? random.nextInt(2_000) : 0);
            Sent sent = protect(sender, source, next[source]);
            if (random.nextInt(10) > 0) {
                onTheWay.add(sent);
            }
            while (onTheWay.size() > 8) {
                Sent arrived = onTheWay.remove(random.nextInt(onTheWay.size()));
                deliver(receiver, arrived);
                if (random.nextInt(10) == 0) {
                    assertThat(unprotect(receiver, arrived)).isNegative();
                }
            }
        }
        assertThat(Arrays.stream(next).min().orElseThrow()).isGreaterThan(2 * 65_536);
    }

    private Sent protect(SrtpSender sender, int source, long index) {
        int length = Packets.rtp(buffer, source, (int) index, 30);
        length = sender.protectRtp(buffer, OFFSET, length);
        assertThat(length).isPositive();
        return new Sent(source, index, hex(length));
    }

    private void deliver(SrtpReceiver receiver, Sent arrived) {
        int length = unprotect(receiver, arrived);
        if (length < 0) {
            // A jump pushed it out of the window.
            assertThat(SrtpVerdict.of(length)).isEqualTo(SrtpVerdict.TOO_OLD);
            return;
        }
        String received = hex(length);
        Packets.rtp(buffer, arrived.ssrc(), (int) arrived.index(), 30);
        assertThat(received).isEqualTo(hex(length));
    }

    private int unprotect(SrtpReceiver receiver, Sent arrived) {
        byte[] bytes = HexFormat.of().parseHex(arrived.bytes());
        buffer.put(OFFSET, bytes);
        return receiver.unprotectRtp(buffer, OFFSET, bytes.length);
    }

    private String hex(int length) {
        return HexFormat.of().formatHex(Packets.bytes(buffer, length));
    }
}
