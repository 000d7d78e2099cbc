package dev.parley.rtc.srtp;

import static dev.parley.rtc.srtp.Packets.OFFSET;
import static dev.parley.rtc.srtp.Packets.SSRC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.AllocationProbe;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SrtpAllocationTest {
    private static final int ROUNDS = 20_000;

    private final ByteBuffer buffer = Packets.buffer();
    private int sequenceNumber;

    @Test
    void counterModeAllocatesNothing() {
        assertThat(bytesPerRoundTrip(SrtpProfile.AES128_CM_SHA1_80)).isLessThan(1);
    }

    // What JDK 25 allocates in Cipher.init and doFinal; more than that would be ours.
    @Test
    void gcmAllocatesOnlyWhatTheJdkDoes() {
        assertThat(bytesPerRoundTrip(SrtpProfile.AEAD_AES_128_GCM)).isLessThan(2_400);
    }

    private double bytesPerRoundTrip(SrtpProfile profile) {
        var sender = new SrtpSender(Packets.keys(profile));
        var receiver = new SrtpReceiver(Packets.keys(profile));
        return AllocationProbe.bytesPerRound(
                () -> {
                    int length = Packets.rtp(buffer, SSRC, sequenceNumber++, 120);
                    length = sender.protectRtp(buffer, OFFSET, length);
                    receiver.unprotectRtp(buffer, OFFSET, length);
                },
                ROUNDS);
    }
}
