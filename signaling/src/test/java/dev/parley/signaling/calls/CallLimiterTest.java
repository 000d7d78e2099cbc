package dev.parley.signaling.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallLimiterTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final InetAddress client = InetAddress.ofLiteral("192.0.2.1");
    private long now = Long.MAX_VALUE - 5;

    @Test
    void allowsABurstAndThenTheRate() {
        CallLimiter limiter = new CallLimiter(60, 3, 0, () -> now);

        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isEqualTo(SECOND);
        now += SECOND - 1;
        assertThat(limiter.acquire(client)).isEqualTo(1);
        now += 1;
        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isEqualTo(SECOND);
        now += 100 * SECOND;
        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isEqualTo(SECOND);
    }

    @Test
    void givesEachAddressItsOwn() {
        CallLimiter limiter = new CallLimiter(60, 1, 0, () -> now);

        assertThat(limiter.acquire(client)).isZero();
        assertThat(limiter.acquire(client)).isPositive();
        assertThat(limiter.acquire(InetAddress.ofLiteral("192.0.2.2"))).isZero();
        assertThat(limiter.acquire(InetAddress.ofLiteral("223.0.2.1"))).isZero();
    }

    @Test
    void takesAnIpv6NetworkForOneClient() {
        CallLimiter limiter = new CallLimiter(60, 1, 0, () -> now);

        assertThat(limiter.acquire(InetAddress.ofLiteral("2001:db8:0:1::1"))).isZero();
        assertThat(limiter.acquire(InetAddress.ofLiteral("2001:db8:0:1:ffff::2"))).isPositive();
        assertThat(limiter.acquire(InetAddress.ofLiteral("2001:db8:0:2::1"))).isZero();
    }

    @Test
    void zeroIsNoLimit() {
        CallLimiter limiter = new CallLimiter(0, 1, 0, () -> now);
        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.acquire(client)).isZero();
        }
    }

    @Test
    void forgetsTheLongestUnusedOfTooManyAddresses() {
        CallLimiter limiter = new CallLimiter(60, 1, 0, () -> now);
        assertThat(limiter.acquire(client)).isZero();
        for (int i = 0; i < 100_000; i++) {
            byte[] address = {10, (byte) (i >> 16), (byte) (i >> 8), (byte) i};
            assertThat(limiter.acquire(address(address))).isZero();
        }
        assertThat(limiter.acquire(client)).isZero();
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
