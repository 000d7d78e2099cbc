package dev.parley.transceiver.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BackendsTest {
    private static final BackendSettings SETTINGS =
            new BackendSettings(
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    TlsSettings.OFF);

    @Test
    void keepsTheThreadsOfBackendsApart() throws Exception {
        try (FakeVoiceAgent good = new FakeVoiceAgent(FakeVoiceAgent.opus(), false);
                FakeVoiceAgent rogue = good.replica();
                Backends backends =
                        Backends.open(
                                Map.of(
                                        "*", good.target(),
                                        "alias", good.target(),
                                        "rogue", rogue.target()),
                                SETTINGS,
                                new AudioCounters())) {
            assertThat(thread(backends, "rogue")).isNotSameAs(thread(backends, "any"));
            assertThat(thread(backends, "alias")).isSameAs(thread(backends, "any"));
        }
    }

    private static Object thread(Backends backends, String model) {
        SessionStart start = SessionStart.newBuilder().setModel(model).build();
        return backends.replicas(start).all().iterator().next().thread().eventLoop();
    }
}
