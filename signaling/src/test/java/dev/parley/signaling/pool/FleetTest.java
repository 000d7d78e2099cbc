package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.Tracing;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.FakeTransceiver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FleetTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final FakeTransceiver first = new FakeTransceiver(1);
    private final FakeTransceiver second = new FakeTransceiver(2);
    private Set<HostPort> found = Set.of(first.address(), second.address());
    private boolean broken;
    private final Fleet fleet =
            new Fleet(
                    () -> {
                        if (broken) {
                            throw new IOException("no answer");
                        }
                        return found;
                    },
                    LONG,
                    LONG,
                    new ClientSpans(Tracing.none()),
                    new KnownTransceivers(List.of(), Set.of()));

    @AfterEach
    void close() {
        fleet.close();
        first.close();
        second.close();
    }

    @Test
    void offersCallsToTheLessLoadedOfTwo() {
        first.otherSessions = 50;
        second.otherSessions = 40;
        fleet.search();
        ControlClient more = client(first);
        ControlClient less = client(second);
        while (more.load() == 0 || less.load() == 0) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < 20; i++) {
            assertThat(fleet.inTurn()).containsExactly(less, more);
        }
        // What was handed out since the last report counts as well: 100 are all that it can have.
        for (int i = 0; i < 11; i++) {
            less.started();
        }
        assertThat(fleet.inTurn()).containsExactly(more, less);
        assertThat(less.report(LONG)).isEmpty();
        assertThat(fleet.inTurn()).containsExactly(less, more);
    }

    @Test
    void putsThoseThatAreFullLast() {
        first.otherSessions = 100;
        fleet.search();
        ControlClient full = client(first);
        assertThat(full.report(LONG)).isEqualTo("is full");
        assertThat(client(second).report(LONG)).isEmpty();
        for (int i = 0; i < 20; i++) {
            assertThat(fleet.inTurn().getLast()).isSameAs(full);
        }
    }

    @Test
    void takesInNewOnesAndLetsOldOnesGo() {
        found = Set.of(first.address());
        fleet.search();
        ControlClient kept = client(first);
        assertThat(fleet.find(second.address())).isEmpty();

        found = Set.of(first.address(), second.address());
        fleet.search();
        assertThat(client(first)).isSameAs(kept);
        assertThat(fleet.inTurn()).hasSize(2);

        found = Set.of(second.address());
        fleet.search();
        assertThat(fleet.find(first.address())).isEmpty();
        assertThat(fleet.failures()).isZero();
    }

    @Test
    void keepsWhatItKnowsWhenItCannotLook() {
        fleet.search();
        broken = true;
        fleet.search();
        broken = false;
        found = Set.of();
        fleet.search();

        assertThat(fleet.inTurn()).hasSize(2);
        assertThat(fleet.failures()).isEqualTo(2);
        assertThat(fleet.problems()).isEmpty();
    }

    @Test
    void saysThatThereAreNone() {
        broken = true;
        fleet.search();

        assertThat(fleet.inTurn()).isEmpty();
        assertThat(fleet.problems()).containsExactly("no transceiver is known");
    }

    private ControlClient client(FakeTransceiver transceiver) {
        return fleet.find(transceiver.address()).orElseThrow();
    }
}
