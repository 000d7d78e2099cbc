package dev.parley.rtc.srtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/**
 * How the whole packet index enters a packet. The RFCs' vectors have a rollover counter of zero,
 * and a sender and a receiver that forgot it alike would understand each other: so the formulas are
 * worked out here a second time, with the JDK's CTR and HMAC.
 */
class PacketIndexTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final int SSRC = 0x8765_4321;
    private static final long INDEX = 0xFEDC_BA98_1234L;
    private static final int RTCP_INDEX = 0x7EDC_BA98;
    private static final byte[] MASTER_KEY = HEX.parseHex("e1f97a0d3e018be0d64fa32c06de4139");

    @Test
    void counterModeRtp() throws Exception {
        byte[] salt = HEX.parseHex("0ec675ad498afeebb6960b3aabe6");
        byte[] packet = packet(12 + 40);
        byte[] expected = Arrays.copyOf(packet, 12 + 40 + 10);
        counterMode(salt, 0, expected, 12, 40, INDEX);
        var signed =
                ByteBuffer.allocate(12 + 40 + 4).put(expected, 0, 52).putInt((int) (INDEX >> 16));
        System.arraycopy(hmac(salt, 1, signed.array()), 0, expected, 52, 10);

        int length = counterMode(salt).sealRtp(packet, 12, 52, SSRC, INDEX);

        assertThat(HEX.formatHex(packet, 0, length)).isEqualTo(HEX.formatHex(expected));
        assertThat(counterMode(salt).openRtp(packet, 12, length, SSRC, INDEX)).isEqualTo(52);
    }

    @Test
    void counterModeRtcp() throws Exception {
        byte[] salt = HEX.parseHex("0ec675ad498afeebb6960b3aabe6");
        byte[] packet = packet(8 + 40);
        byte[] expected = Arrays.copyOf(packet, 8 + 40 + 4 + 10);
        counterMode(salt, 3, expected, 8, 40, RTCP_INDEX);
        ByteBuffer.wrap(expected).putInt(48, 0x8000_0000 | RTCP_INDEX);
        System.arraycopy(hmac(salt, 4, Arrays.copyOf(expected, 52)), 0, expected, 52, 10);

        int length = counterMode(salt).sealRtcp(packet, 48, SSRC, RTCP_INDEX);

        assertThat(HEX.formatHex(packet, 0, length)).isEqualTo(HEX.formatHex(expected));
        assertThat(counterMode(salt).openRtcp(packet, length, SSRC, RTCP_INDEX)).isEqualTo(48);
    }

    // RFC 7714 8.1: 00 00 || SSRC || ROC || SEQ, XOR salt
    @Test
    void gcmRtp() throws Exception {
        byte[] salt = HEX.parseHex("517569642070726f2071756f");
        byte[] iv = HEX.parseHex("000087654321fedcba981234");
        for (int i = 0; i < iv.length; i++) {
            iv[i] ^= salt[i];
        }
        byte[] packet = packet(12 + 40);
        Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
        gcm.init(Cipher.ENCRYPT_MODE, aes(MASTER_KEY), new GCMParameterSpec(128, iv));
        gcm.updateAAD(packet, 0, 12);
        byte[] expected = gcm.doFinal(packet, 12, 40);

        int length = new GcmTransform(MASTER_KEY, salt).sealRtp(packet, 12, 52, SSRC, INDEX);

        assertThat(HEX.formatHex(packet, 12, length)).isEqualTo(HEX.formatHex(expected));
    }

    private static SrtpTransform counterMode(byte[] salt) {
        return SrtpTransform.of(new SrtpKeys(SrtpProfile.AES128_CM_SHA1_80, MASTER_KEY, salt));
    }

    // RFC 3711 4.1.1: IV = (k_s * 2^16) XOR (SSRC * 2^64) XOR (i * 2^16)
    private static void counterMode(
            byte[] salt, int label, byte[] packet, int from, int length, long index)
            throws Exception {
        var derivation = new KeyDerivation(MASTER_KEY, salt);
        var iv = ByteBuffer.wrap(Arrays.copyOf(derivation.derive(label + 2, 14), 16));
        iv.putInt(4, iv.getInt(4) ^ SSRC);
        iv.putLong(8, iv.getLong(8) ^ (index << 16));
        Cipher ctr = Cipher.getInstance("AES/CTR/NoPadding");
        ctr.init(
                Cipher.ENCRYPT_MODE,
                aes(derivation.derive(label, 16)),
                new IvParameterSpec(iv.array()));
        System.arraycopy(ctr.doFinal(packet, from, length), 0, packet, from, length);
    }

    private static byte[] hmac(byte[] salt, int label, byte[] signed) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA1");
        byte[] key = new KeyDerivation(MASTER_KEY, salt).derive(label, 20);
        mac.init(new SecretKeySpec(key, "HmacSHA1"));
        return mac.doFinal(signed);
    }

    private static SecretKeySpec aes(byte[] key) {
        return new SecretKeySpec(key, "AES");
    }

    private static byte[] packet(int length) {
        byte[] packet = new byte[SrtpPackets.MAX_LENGTH];
        for (int i = 0; i < length; i++) {
            packet[i] = (byte) (i * 7);
        }
        return packet;
    }
}
