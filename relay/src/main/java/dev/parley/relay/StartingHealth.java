package dev.parley.relay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Speaks for a relay that is not there yet, then for that relay: so somebody can ask from the first
 * moment on, and nothing has to be set up once packets wait. Owned by the relay's start.
 */
final class StartingHealth implements RelayHealth {
    private volatile @Nullable RelayHealth started;

    void started(RelayHealth relay) {
        started = relay;
    }

    @Override
    public List<String> faults() {
        RelayHealth relay = started;
        return relay == null ? List.of() : relay.faults();
    }

    @Override
    public List<String> obstacles() {
        RelayHealth relay = started;
        return relay == null ? List.of("starting") : relay.obstacles();
    }

    @Override
    public List<String> defects() {
        RelayHealth relay = started;
        return relay == null ? List.of() : relay.defects();
    }
}
