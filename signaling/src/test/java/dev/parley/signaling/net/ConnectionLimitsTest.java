package dev.parley.signaling.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
    private static ConnectionLimits limits(int perAddress, int total) {
        Duration second = Duration.ofSeconds(1);
        return new ConnectionLimits(second, second, second, second, perAddress, total, List.of());
    }

    @Test
    void areAsConfiguredWhereThereAreDescriptorsForThem() {
        ConnectionLimits configured = limits(1_000, 10_000);

        assertThat(configured.within(Long.MAX_VALUE)).isSameAs(configured);
        assertThat(configured.within(10_256)).isSameAs(configured);
    }

    @Test
    void leaveDescriptorsToTheRestOfTheProcess() {
        // A process that may have 1,024 files and has 170 when it begins to listen.
        ConnectionLimits bounded = limits(1_000, 10_000).within(854);

        assertThat(bounded.total()).isEqualTo(641);
        assertThat(bounded.perAddress()).isEqualTo(320);
    }

    @Test
    void keepAnAddressWithoutLimitWithoutOne() {
        assertThat(limits(0, 10_000).within(400).perAddress()).isZero();
    }

    @Test
    void allowAConnectionEvenWhenThereIsNothingLeft() {
        ConnectionLimits bounded = limits(1_000, 10_000).within(0);

        assertThat(bounded.total()).isOne();
        assertThat(bounded.perAddress()).isOne();
    }
}
