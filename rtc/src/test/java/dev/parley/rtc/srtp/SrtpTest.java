package dev.parley.rtc.srtp;

import static dev.parley.rtc.srtp.Packets.OFFSET;
import static dev.parley.rtc.srtp.Packets.SSRC;
import static dev.parley.rtc.srtp.Packets.bytes;
import static dev.parley.rtc.srtp.Packets.keys;
import static dev.parley.rtc.srtp.Packets.rtcp;
import static dev.parley.rtc.srtp.Packets.rtp;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sender and a receiver with the same keys, under each profile. */
@ParameterizedClass
@EnumSource(SrtpProfile.class)
class SrtpTest {
    private final SrtpProfile profile;
    private final SrtpSender sender;
    private final SrtpReceiver receiver;
    private final ByteBuffer buffer = Packets.buffer();

    SrtpTest(SrtpProfile profile) {
        this.profile = profile;
        sender = new SrtpSender(keys(profile));
        receiver = new SrtpReceiver(keys(profile));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 17, 120, 1100, 2000})
    void restoresAnRtpPacket(int payloadLength) {
        int length = rtp(buffer, SSRC, 7, payloadLength);
        byte[] plain = bytes(buffer, length);

        int protectedLength = sender.protectRtp(buffer, OFFSET, length);

        assertThat(protectedLength).isEqualTo(length + profile.rtpOverhead());
        assertThat(bytes(buffer, protectedLength)).isNotEqualTo(plain);
        assertThat(receiver.unprotectRtp(buffer, OFFSET, protectedLength)).isEqualTo(length);
        assertThat(bytes(buffer, length)).isEqualTo(plain);
    }

    @Test
    void leavesHeaderCsrcsAndExtensionReadable() {
        int length = rtp(buffer, SSRC, 7, 100);
        buffer.put(OFFSET, (byte) 0x92);
        buffer.putInt(OFFSET + 20, 0xBEDE_0002);
        byte[] plain = bytes(buffer, length);

        int protectedLength = sender.protectRtp(buffer, OFFSET, length);

        int headerLength = 12 + 2 * 4 + 4 + 2 * 4;
        assertThat(bytes(buffer, headerLength)).isEqualTo(Arrays.copyOf(plain, headerLength));
        assertThat(buffer.get(OFFSET + headerLength)).isNotEqualTo(plain[headerLength]);
        assertThat(receiver.unprotectRtp(buffer, OFFSET, protectedLength)).isEqualTo(length);
        assertThat(bytes(buffer, length)).isEqualTo(plain);
    }

    @Test
    void restoresAnRtcpPacket() {
        int length = rtcp(buffer, SSRC, 20);
        byte[] plain = bytes(buffer, length);

        int protectedLength = sender.protectRtcp(buffer, OFFSET, length);

        assertThat(protectedLength).isEqualTo(length + profile.rtcpOverhead());
        assertThat(receiver.unprotectRtcp(buffer, OFFSET, protectedLength)).isEqualTo(length);
        assertThat(bytes(buffer, length)).isEqualTo(plain);
    }

    @Test
    void refusesAnyFlippedBitAndChangesNothing() {
        int length = sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 7, 20));
        byte[] authentic = bytes(buffer, length);
        for (int bit = 0; bit < length * 8; bit++) {
            buffer.put(OFFSET, authentic);
            buffer.put(OFFSET + bit / 8, (byte) (authentic[bit / 8] ^ 1 << bit % 8));
            byte[] forged = bytes(buffer, length);

            assertThat(receiver.unprotectRtp(buffer, OFFSET, length)).isNegative();
            assertThat(bytes(buffer, length)).isEqualTo(forged);
        }
        buffer.put(OFFSET, authentic);
        assertThat(receiver.unprotectRtp(buffer, OFFSET, length)).isPositive();
    }

    @Test
    void refusesAnyFlippedBitOfRtcp() {
        int length = sender.protectRtcp(buffer, OFFSET, rtcp(buffer, SSRC, 20));
        byte[] authentic = bytes(buffer, length);
        for (int bit = 0; bit < length * 8; bit++) {
            buffer.put(OFFSET, authentic);
            buffer.put(OFFSET + bit / 8, (byte) (authentic[bit / 8] ^ 1 << bit % 8));
            assertThat(receiver.unprotectRtcp(buffer, OFFSET, length)).isNegative();
        }
        buffer.put(OFFSET, authentic);
        assertThat(receiver.unprotectRtcp(buffer, OFFSET, length)).isPositive();
    }

    @Test
    void refusesAReplayedPacket() {
        int length = sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 7, 20));
        byte[] authentic = bytes(buffer, length);
        assertThat(receiver.unprotectRtp(buffer, OFFSET, length)).isPositive();

        buffer.put(OFFSET, authentic);

        assertThat(verdict(receiver.unprotectRtp(buffer, OFFSET, length)))
                .isEqualTo(SrtpVerdict.REPLAYED);
    }

    @Test
    void refusesAReplayedReport() {
        int length = sender.protectRtcp(buffer, OFFSET, rtcp(buffer, SSRC, 20));
        byte[] authentic = bytes(buffer, length);
        assertThat(receiver.unprotectRtcp(buffer, OFFSET, length)).isPositive();

        buffer.put(OFFSET, authentic);

        assertThat(verdict(receiver.unprotectRtcp(buffer, OFFSET, length)))
                .isEqualTo(SrtpVerdict.REPLAYED);
    }

    @Test
    void refusesAnUnencryptedReport() {
        int length = sender.protectRtcp(buffer, OFFSET, rtcp(buffer, SSRC, 20));
        int trailerAt = OFFSET + length - (profile == SrtpProfile.AEAD_AES_128_GCM ? 4 : 4 + 10);
        assertThat(buffer.getInt(trailerAt)).isEqualTo(0x8000_0001);
        buffer.putInt(trailerAt, 1);

        assertThat(verdict(receiver.unprotectRtcp(buffer, OFFSET, length)))
                .isEqualTo(SrtpVerdict.NOT_ENCRYPTED);
    }

    @Test
    void doesNotSendASequenceNumberTwice() {
        assertThat(sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 7, 20))).isPositive();
        assertThat(verdict(sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 7, 20))))
                .isEqualTo(SrtpVerdict.REPLAYED);
        assertThat(verdict(sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 6, 20))))
                .isEqualTo(SrtpVerdict.REPLAYED);
        assertThat(sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 8, 20))).isPositive();
    }

    @Test
    void refusesWhatIsTooLong() {
        int tooLong = SrtpPackets.MAX_LENGTH - profile.rtpOverhead() + 1;
        assertThat(verdict(sender.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 1, tooLong - 12))))
                .isEqualTo(SrtpVerdict.TOO_LONG);
        assertThat(verdict(receiver.unprotectRtp(buffer, OFFSET, SrtpPackets.MAX_LENGTH + 1)))
                .isEqualTo(SrtpVerdict.TOO_LONG);
    }

    @Test
    void refusesOtherKeys() {
        var stranger = new SrtpSender(keys(profile, 2));
        int length = stranger.protectRtp(buffer, OFFSET, rtp(buffer, SSRC, 7, 20));

        assertThat(verdict(receiver.unprotectRtp(buffer, OFFSET, length)))
                .isEqualTo(SrtpVerdict.AUTHENTICATION_FAILED);
    }

    private static SrtpVerdict verdict(int code) {
        assertThat(code).isNegative();
        return SrtpVerdict.of(code);
    }
}
