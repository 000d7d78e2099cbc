package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class NtpTimeTest {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    @Test
    void countsFrom1900() {
        long unixSeconds = Instant.parse("2000-01-01T00:00:00Z").getEpochSecond();
        var time = new NtpTime(unixSeconds * NANOS_PER_SECOND, 77);

        // RFC 5905 4, figure 4: first day of 2000
        assertThat(time.at(77) >>> 32).isEqualTo(3_155_673_600L);
        assertThat(time.at(77) & 0xFFFF_FFFFL).isZero();
        assertThat(time.at(77 + NANOS_PER_SECOND * 5 / 4))
                .isEqualTo((3_155_673_601L << 32) | (1 << 30));
    }

    @Test
    void findsTheRoundTripOfTheRfcsExample() {
        // RFC 3550 6.4.1, figure 2: arrival 46864.500, LSR 46853.125, DLSR 5.250; round trip 6.125
        long arrival = 0xb710_8000L << 16;
        assertThat(NtpTime.roundTripNanos(arrival, 0xb705_2000, 0x0005_4000))
                .isEqualTo(6_125_000_000L);
    }

    @Test
    void knowsNoRoundTripWithoutASenderReport() {
        assertThat(NtpTime.roundTripNanos(1L << 40, 0, 0)).isEqualTo(NtpTime.UNKNOWN);
    }

    @Test
    void neverAnswersANegativeRoundTrip() {
        assertThat(NtpTime.roundTripNanos(0x10_0000L << 16, 0x10_0000, 1)).isZero();
    }

    @Test
    void measuresDurationsInSixtyFiveThousandths() {
        assertThat(NtpTime.shortDuration(5_250_000_000L)).isEqualTo(0x0005_4000);
    }
}
