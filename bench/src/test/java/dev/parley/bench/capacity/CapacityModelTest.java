package dev.parley.bench.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class CapacityModelTest {
    private final Assumptions usual = new Assumptions();

    @Test
    void theWorldOfTheModelIsAsLargeAsTheSourceSays() {
        double online = WorldRegion.ALL.stream().mapToDouble(WorldRegion::peopleOnline).sum();
        assertThat(online).isCloseTo(5.4e9, within(0.1e9));
    }

    @Test
    void regionsHaveTheirPeaksAtDifferentHours() {
        Assumptions plain = usual.with("peak_factor", 1);
        double peaks = CapacityModel.sum(CapacityModel.needs(plain, 1e6)).calls();
        assertThat(peaks).isBetween(1.05e6, 1.6e6);
    }

    @Test
    void needsGrowWithCalls() {
        CapacityModel.Need small = CapacityModel.sum(CapacityModel.needs(usual, 1e6));
        CapacityModel.Need large = CapacityModel.sum(CapacityModel.needs(usual, 1e8));
        assertThat(large.relayCores()).isCloseTo(100 * small.relayCores(), within(1.0));
        assertThat(large.transceivers()).isGreaterThan(99 * small.transceivers() * 0.99);
    }

    @Test
    void callsThatLiveElsewhereCostRelaysAndBackbone() {
        CapacityModel.Need home =
                CapacityModel.sum(CapacityModel.needs(usual.with("away_share", 0), 1e6));
        CapacityModel.Need away =
                CapacityModel.sum(CapacityModel.needs(usual.with("away_share", 1), 1e6));
        assertThat(home.backboneGbps()).isZero();
        assertThat(away.relayCores()).isGreaterThan(2 * home.relayCores());
        assertThat(away.transceiverCores()).isEqualTo(home.transceiverCores());
    }

    @Test
    void aHandCountOfOneRegion() {
        Assumptions plain =
                usual.with("peak_factor", 1)
                        .with("spare", 0)
                        .with("away_share", 0)
                        .with("relay_share", 1);
        CapacityModel.Need europe =
                CapacityModel.needs(plain, 1e6).stream()
                        .filter(need -> need.region().equals("Europe"))
                        .findFirst()
                        .orElseThrow();
        double packets = europe.calls() * 100;
        assertThat(europe.relayCores()).isCloseTo(packets * 6.2e-6, within(0.01));
        assertThat(europe.publicGbps())
                .isCloseTo(europe.calls() * 50 * (104 + 28) * 8 / 1e9, within(0.001));
    }

    @Test
    void namesWhatThereIsToSet() {
        assertThatThrownBy(() -> usual.with("moon_phase", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there is no moon_phase; there are relay_us_per_packet,");
        assertThat(List.of(WorldRegion.ALL.getFirst().activity(3)))
                .allMatch(share -> share > 0 && share <= 1);
    }
}
