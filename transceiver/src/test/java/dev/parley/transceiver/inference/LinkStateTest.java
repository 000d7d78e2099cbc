package dev.parley.transceiver.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.inference.LinkState.Acceptance;
import dev.parley.transceiver.inference.LinkState.Role;
import dev.parley.transceiver.media.AudioCounters;
import io.grpc.Status;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which stream carries a call, in orders that a network brings about now and then. */
class LinkStateTest {
    private static final String ID = "0123456789abcdef0123456789abcdef";
    private static final SessionStart START = SessionStart.newBuilder().setModel("any").build();
    private static final Status BROKEN = Status.UNAVAILABLE;

    private final Backends backends =
            Backends.open(
                    Map.of("*", "127.0.0.1:1 127.0.0.1:2"),
                    BackendSettings.DEFAULT,
                    new AudioCounters());
    private final LinkState state = new LinkState(new Outage(TimeUnit.SECONDS.toNanos(5)));

    @AfterEach
    void close() {
        backends.close();
    }

    private Leg leg() {
        Replica replica = Objects.requireNonNull(backends.replicas(START).pick(Set.of(), 0));
        return new Leg(replica, ID, new UplinkQueue(), backends, new Nobody());
    }

    /** A stream that is being opened. */
    private Leg opened() {
        return Objects.requireNonNull(state.next(_ -> leg()).leg());
    }

    private Leg talking() {
        Leg leg = opened();
        assertThat(state.accept(leg)).isEqualTo(Acceptance.FIRST);
        return leg;
    }

    private Leg movedTo(Leg from) {
        assertThat(state.wantMove(from)).isTrue();
        return Objects.requireNonNull(state.move(from, _ -> leg()).leg());
    }

    @Test
    void opensOneStreamAtATime() {
        Leg first = opened();
        assertThat(state.next(_ -> leg()).wanted()).isFalse();
        assertThat(state.accept(leg())).isEqualTo(Acceptance.UNWANTED);
        assertThat(state.accept(first)).isEqualTo(Acceptance.FIRST);
        assertThat(state.next(_ -> leg()).wanted()).isFalse();
    }

    @Test
    void aNewCallAsksOnceMoreWhenAConnectionHasClosedUnderItsStream() {
        for (boolean again : new boolean[] {true, false}) {
            assertThat(state.close(opened())).isEqualTo(Role.OPENING);
            assertThat(state.refuse(BROKEN).lost()).isFalse();
            assertThat(state.nobodyLeft() > 0).isEqualTo(again);
        }
    }

    @Test
    void aNewCallThatIsRefusedOrHasNobodyToAskDoesNotAskAgain() {
        assertThat(state.next(_ -> null).wanted()).isTrue();
        assertThat(state.nobodyLeft()).isZero();
        assertThat(state.close(opened())).isEqualTo(Role.OPENING);
        var _ = state.refuse(Status.RESOURCE_EXHAUSTED);
        assertThat(state.nobodyLeft()).isZero();
    }

    @Test
    void aStreamThatIsMovedToReplacesTheOther() {
        Leg first = talking();
        Leg second = movedTo(first);
        assertThat(state.accept(second)).isEqualTo(Acceptance.MOVES);
        assertThat(state.replace(second)).isSameAs(first);
        assertThat(state.close(first)).isEqualTo(Role.NONE);
        assertThat(state.hears(second)).isTrue();
    }

    @Test
    void aStreamThatWasToBeMovedToTakesOverWhenTheOtherBreaksFirst() {
        Leg first = talking();
        Leg second = movedTo(first);
        assertThat(state.accept(second)).isEqualTo(Acceptance.MOVES);
        assertThat(state.close(first)).isEqualTo(Role.CURRENT);
        assertThat(state.lose(first, BROKEN, 0)).isZero();
        assertThat(state.next(_ -> leg()).wanted()).isFalse();
        assertThat(state.replace(second)).isNull();
        assertThat(state.resume(second)).isTrue();
        assertThat(state.overdue(0)).isNull();
        assertThat(state.stream()).isSameAs(second.stream());
    }

    @Test
    void nothingIsTakenOnceItIsOver() {
        Leg first = talking();
        Leg second = movedTo(first);
        LinkState.Left left = state.finish();
        assertThat(left.begun()).isSameAs(second);
        assertThat(left.talking()).isSameAs(first.stream());
        assertThat(state.accept(second)).isEqualTo(Acceptance.UNWANTED);
        assertThat(state.close(first)).isEqualTo(Role.LAST);
        assertThat(state.giveUp()).isNull();
    }

    @Test
    void anOutageThatIsOverHasNoDeadlineAnyMore() {
        Leg first = talking();
        assertThat(state.close(first)).isEqualTo(Role.CURRENT);
        assertThat(state.lose(first, BROKEN, 7)).isZero();
        assertThat(state.overdue(7)).isEqualTo(BROKEN);
        Leg second = opened();
        assertThat(state.accept(second)).isEqualTo(Acceptance.RESUMES);
        assertThat(state.resume(second)).isTrue();
        assertThat(state.overdue(7)).isNull();
    }

    private static final class Nobody implements Leg.Owner {
        @Override
        public void accepted(Leg leg, SessionReady ready) {}

        @Override
        public void said(Leg leg, ConverseResponse message) {}

        @Override
        public void draining(Leg leg) {}

        @Override
        public boolean awaits(Leg leg) {
            return false;
        }

        @Override
        public void closed(Leg leg, Status status) {}
    }
}
