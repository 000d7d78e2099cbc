package dev.parley.rtc.srtp;

import static dev.parley.rtc.srtp.Packets.OFFSET;
import static dev.parley.rtc.srtp.Packets.bytes;
import static dev.parley.rtc.srtp.Packets.keys;
import static dev.parley.rtc.srtp.Packets.rtcp;
import static dev.parley.rtc.srtp.Packets.rtp;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a receiver remembers of synchronization sources, and what it does not. */
class SrtpSourcesTest {
    private static final SrtpProfile PROFILE = SrtpProfile.AES128_CM_SHA1_80;
    private static final int LIVE = 1;

    private final SrtpReceiver receiver = new SrtpReceiver(keys(PROFILE));
    private final ByteBuffer buffer = Packets.buffer();

    @Test
    void keepsARolloverCounterForEachSource() {
        SrtpSender sender = new SrtpSender(keys(PROFILE));
        for (int packet = 0; packet < 200_000; packet += 100) {
            // One source wraps three times; the other starts late and never wraps.
            assertThat(send(sender, 1, packet)).isPositive();
            if (packet >= 150_000) {
                assertThat(send(sender, 2, packet - 150_000)).isPositive();
            }
        }
    }

    @Test
    void acceptsTheFirstPacketOfASourceWhateverItsNumber() {
        SrtpSender sender = new SrtpSender(keys(PROFILE));

        assertThat(send(sender, 1, 65_535)).isPositive();
        assertThat(send(sender, 1, 65_536)).isPositive();
        assertThat(send(sender, 2, 40_000)).isPositive();
    }

    // Before the first cycle there is no earlier one: the gap can only lead forward.
    @Test
    void acceptsAJumpOfMoreThanHalfTheNumbersInTheFirstCycle() {
        SrtpSender sender = new SrtpSender(keys(PROFILE));
        assertThat(send(sender, 1, 5)).isPositive();
        assertThat(
                        new SrtpSender(keys(PROFILE))
                                .protectRtp(buffer, OFFSET, rtp(buffer, 1, 40_000, 20)))
                .isPositive();

        assertThat(receiver.unprotectRtp(buffer, OFFSET, 12 + 20 + PROFILE.rtpOverhead()))
                .isPositive();
    }

    @Test
    void remembersNothingOfForgedSources() {
        SrtpSender sender = new SrtpSender(keys(PROFILE));
        assertThat(send(sender, LIVE, 0)).isPositive();
        for (int i = 0; i < 1_000; i++) {
            SrtpSender stranger = new SrtpSender(keys(PROFILE, 9));
            assertThat(verdict(send(stranger, 1_000 + i, 0)))
                    .isEqualTo(SrtpVerdict.AUTHENTICATION_FAILED);
        }

        // Every slot but one is still free for real sources.
        for (int ssrc = 2; ssrc <= SrtpSources.CAPACITY; ssrc++) {
            assertThat(send(fresh(), ssrc, 0)).isPositive();
        }
        assertThat(send(sender, LIVE, 1)).isPositive();
    }

    @Test
    void neverDropsASourceThatIsHeard() {
        fillAllSlots();

        assertThat(verdict(send(fresh(), 100, 0))).isEqualTo(SrtpVerdict.TOO_MANY_SOURCES);
        assertThat(verdict(sendReport(fresh(), 100))).isEqualTo(SrtpVerdict.TOO_MANY_SOURCES);
    }

    @Test
    void givesTheSlotOfALongSilentSourceToANewOne() {
        SrtpSender sender = fillAllSlots();
        for (int packet = 1; packet < SrtpSources.IDLE_PACKETS; packet++) {
            assertThat(send(sender, LIVE, packet)).isPositive();
        }

        // Nothing is left of what the silent one had sent: neither number nor rollover.
        SrtpSender newcomer = fresh();
        assertThat(send(newcomer, 100, 0)).isPositive();
        assertThat(send(newcomer, 100, 1)).isPositive();
        assertThat(send(sender, LIVE, SrtpSources.IDLE_PACKETS)).isPositive();
    }

    @Test
    void hearsAClientThatTakesANewSourceForEachSentence() {
        for (int ssrc = 1; ssrc <= 200; ssrc++) {
            SrtpSender sender = fresh();
            for (int packet = 0; packet < 50; packet++) {
                assertThat(send(sender, ssrc, packet)).isPositive();
            }
        }
    }

    @Test
    void hearsASourceInTheEndThatWasKeptOut() {
        fillAllSlots();
        SrtpSender sender = fresh();
        int packet = 0;
        while (send(sender, 100, packet) < 0) {
            packet++;
        }
        assertThat(packet).isLessThan(SrtpSources.IDLE_PACKETS);
    }

    // RFC 3711 3.3.1: the rollover counter that a receiver starts with is a guess.
    @Test
    void hearsASourceWhoseFirstPacketsWereLostUpToTheWrap() {
        SrtpSender sender = fresh();
        for (int packet = 65_500; packet < 65_536; packet++) {
            var _ = sender.protectRtp(buffer, OFFSET, rtp(buffer, LIVE, packet, 20));
        }
        byte[] late = new byte[12 + 20 + PROFILE.rtpOverhead()];
        buffer.get(OFFSET, late);

        assertThat(send(sender, LIVE, 65_536)).isPositive();
        assertThat(send(sender, LIVE, 65_537)).isPositive();
        // What was only late belongs to the cycle before.
        assertThat(receiver.unprotectRtp(buffer.put(OFFSET, late), OFFSET, late.length))
                .isPositive();
        assertThat(sendReport(sender, 7)).isPositive();
        for (int packet = 65_500; packet < 65_540; packet++) {
            int length = sender.protectRtp(buffer, OFFSET, rtp(buffer, 7, packet, 20));
            if (packet >= 65_536) {
                assertThat(receiver.unprotectRtp(buffer, OFFSET, length)).isPositive();
            }
        }
    }

    @Test
    void triesNoMoreThanAHundredForgedPacketsTwice() {
        for (int ssrc = 1; ssrc <= 100; ssrc++) {
            assertThat(send(new SrtpSender(keys(PROFILE, 9)), ssrc, 0)).isNegative();
        }
        SrtpSender sender = fresh();
        var _ = sender.protectRtp(buffer, OFFSET, rtp(buffer, 200, 65_535, 20));
        assertThat(verdict(send(sender, 200, 65_536))).isEqualTo(SrtpVerdict.AUTHENTICATION_FAILED);

        // An authentic packet gives the tries back.
        assertThat(send(sender, LIVE, 0)).isPositive();
        assertThat(send(sender, 200, 65_537)).isPositive();
    }

    @Test
    void accountsForRtpAndRtcpOfASourceApart() {
        SrtpSender sender = fresh();
        assertThat(send(sender, LIVE, 1)).isPositive();
        assertThat(sendReport(sender, LIVE)).isPositive();
        assertThat(sendReport(sender, LIVE)).isPositive();
        assertThat(send(sender, LIVE, 2)).isPositive();
    }

    @Test
    void endsNoSessionHoweverManyBadPacketsCome() {
        SrtpSender sender = fresh();
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            if (garbage.length > 0) {
                garbage[0] = (byte) (0x80 | (garbage[0] & 0x3F));
            }
            buffer.put(OFFSET, garbage);
            assertThat(receiver.unprotectRtp(buffer, OFFSET, garbage.length)).isNegative();
            assertThat(bytes(buffer, garbage.length)).isEqualTo(garbage);
            assertThat(receiver.unprotectRtcp(buffer, OFFSET, garbage.length)).isNegative();
            assertThat(bytes(buffer, garbage.length)).isEqualTo(garbage);
        }

        assertThat(send(sender, LIVE, 0)).isPositive();
        assertThat(sendReport(sender, LIVE)).isPositive();
    }

    private SrtpSender fillAllSlots() {
        SrtpSender sender = fresh();
        for (int ssrc = SrtpSources.CAPACITY; ssrc >= LIVE; ssrc--) {
            sender = fresh();
            assertThat(send(sender, ssrc, ssrc == LIVE ? 0 : 60_000)).isPositive();
        }
        return sender;
    }

    private static SrtpSender fresh() {
        return new SrtpSender(keys(PROFILE));
    }

    /** Sends one packet; answers what the receiver does. */
    private int send(SrtpSender sender, int ssrc, int packet) {
        int length = sender.protectRtp(buffer, OFFSET, rtp(buffer, ssrc, packet, 20));
        return receiver.unprotectRtp(buffer, OFFSET, length);
    }

    private int sendReport(SrtpSender sender, int ssrc) {
        int length = sender.protectRtcp(buffer, OFFSET, rtcp(buffer, ssrc, 20));
        return receiver.unprotectRtcp(buffer, OFFSET, length);
    }

    private static SrtpVerdict verdict(int code) {
        assertThat(code).isNegative();
        return SrtpVerdict.of(code);
    }
}
