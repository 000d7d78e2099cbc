package dev.parley.rtc.srtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GcmTransformRfc7714Test {
    private static final HexFormat HEX = HexFormat.of();
    private static final int RTP_SSRC = 0x5501a0b2;
    private static final int RTP_INDEX = 0xf17b;
    private static final String RTP =
            "8040f17b8041f8d35501a0b2"
                    + "47616c6c696120657374206f6d6e697320646976"
                    + "69736120696e207061727465732074726573";
    private static final String SRTP =
            "8040f17b8041f8d35501a0b2"
                    + "f24de3a3fb34de6cacba861c9d7e4bcabe633bd5"
                    + "0d294e6f42a5f47a51c7d19b36de3adf8833"
                    + "899d7f27beb16a9152cf765ee4390cce";

    private static final int RTCP_SSRC = 0x4d617273;
    private static final int RTCP_INDEX = 0x5d4;
    private static final String RTCP =
            "81c8000d4d617273"
                    + "4e5450314e545032525450200000042a0000e930"
                    + "4c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef";
    private static final String SRTCP =
            "81c8000d4d617273"
                    + "63e94885dcdab67ca727d7662f6b7e997ff5c0f7"
                    + "6c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275b"
                    + "c84aa45896cf4d2fc5abf87245d9eade"
                    + "800005d4";

    private final SrtpTransform transform =
            new GcmTransform(
                    HEX.parseHex("000102030405060708090a0b0c0d0e0f"),
                    HEX.parseHex("517569642070726f2071756f"));

    @Test
    @DisplayName("RFC 7714 16.1.1: SRTP encryption")
    void sealsRtp() {
        byte[] packet = packet(RTP);
        int length = transform.sealRtp(packet, 12, RTP.length() / 2, RTP_SSRC, RTP_INDEX);
        assertThat(HEX.formatHex(packet, 0, length)).isEqualTo(SRTP);
    }

    @Test
    @DisplayName("RFC 7714 16.1.2: SRTP decryption")
    void opensRtp() {
        byte[] packet = packet(SRTP);
        int length = transform.openRtp(packet, 12, SRTP.length() / 2, RTP_SSRC, RTP_INDEX);
        assertThat(HEX.formatHex(packet, 0, length)).isEqualTo(RTP);
    }

    @Test
    @DisplayName("RFC 7714 17.1: SRTCP encryption and tagging")
    void sealsRtcp() {
        byte[] packet = packet(RTCP);
        int length = transform.sealRtcp(packet, RTCP.length() / 2, RTCP_SSRC, RTCP_INDEX);
        assertThat(HEX.formatHex(packet, 0, length)).isEqualTo(SRTCP);
    }

    @Test
    @DisplayName("RFC 7714 17.2: SRTCP verification and decryption")
    void opensRtcp() {
        byte[] packet = packet(SRTCP);
        int length = transform.openRtcp(packet, SRTCP.length() / 2, RTCP_SSRC, RTCP_INDEX);
        assertThat(HEX.formatHex(packet, 0, length)).isEqualTo(RTCP);
    }

    private static byte[] packet(String hex) {
        return Arrays.copyOf(HEX.parseHex(hex), SrtpPackets.MAX_LENGTH);
    }
}
