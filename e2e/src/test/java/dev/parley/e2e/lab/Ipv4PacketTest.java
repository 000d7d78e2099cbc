package dev.parley.e2e.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Ipv4PacketTest {
    @Test
    void keepsChecksumsRightWhateverItRewrites() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            byte[] bytes = udp(random, random.nextInt(40));
            Ipv4Packet packet = new Ipv4Packet(bytes);

            packet.source(random.nextInt(), random.nextInt(65_536));
            packet.destination(random.nextInt(), random.nextInt(65_536));

            assertThat(sum(bytes, 0, 20, 0)).as("header").isEqualTo(0xFFFF);
            assertThat(udpSum(bytes)).as("UDP").isEqualTo(0xFFFF);
        }
    }

    @Test
    void seesNoPortsInFragmentsAndScraps() {
        byte[] fragment = udp(new SplittableRandom(2), 10);
        fragment[6] = 0x20;

        assertThat(new Ipv4Packet(fragment).hasPorts()).isFalse();
        assertThat(new Ipv4Packet(new byte[0]).hasPorts()).isFalse();
        assertThat(new Ipv4Packet(new byte[] {0x4F}).hasPorts()).isFalse();
        byte[] six = new byte[60];
        six[0] = 0x60;
        assertThat(new Ipv4Packet(six).hasPorts()).isFalse();
    }

    private static byte[] udp(SplittableRandom random, int payload) {
        byte[] bytes = new byte[28 + payload];
        random.nextBytes(bytes);
        ByteBuffer packet = ByteBuffer.wrap(bytes);
        packet.put(0, (byte) 0x45).putShort(2, (short) bytes.length).putShort(6, (short) 0);
        packet.put(9, (byte) 17).putShort(10, (short) 0);
        packet.putShort(10, (short) ~sum(bytes, 0, 20, 0));
        packet.putShort(24, (short) (8 + payload)).putShort(26, (short) 0);
        packet.putShort(26, (short) ~udpSum(bytes));
        return bytes;
    }

    /** With the pseudo header of RFC 768. */
    private static int udpSum(byte[] bytes) {
        int pseudo = 17 + bytes.length - 20;
        return sum(bytes, 20, bytes.length, sum(bytes, 12, 20, pseudo));
    }

    private static int sum(byte[] bytes, int from, int to, int start) {
        int sum = start;
        for (int i = from; i < to; i += 2) {
            int low = i + 1 < to ? bytes[i + 1] & 0xFF : 0;
            sum += ((bytes[i] & 0xFF) << 8) | low;
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }
}
