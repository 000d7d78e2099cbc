package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Limits of a call's life, and that nothing is left of it. */
class CallLimitsTest {
    private static final int IDLE_SECONDS = 20;

    private static Rig rig(int maxHandshakes) {
        SessionLimits limits =
                new SessionLimits(
                        Rig.LIMITS.setupNanos(),
                        Duration.ofHours(1).toNanos(),
                        Rig.LIMITS.durationNanos(),
                        Rig.LIMITS.reorderNanos(),
                        Rig.LIMITS.cushionSamples(),
                        Rig.LIMITS.liveNanos(),
                        Duration.ofSeconds(IDLE_SECONDS).toNanos(),
                        maxHandshakes);
        return new Rig(new FakeVoiceAgent(FakeVoiceAgent.opus(), false), limits, 30_000);
    }

    private static Place place(int host) {
        return new Place(Address.ipv4(host, 50_000 + host), true);
    }

    private static EndReason endReason(FakeVoiceAgent.Call call) {
        return call.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason();
    }

    @Test
    void endsWhenNeitherSideSaysAnything() {
        try (Rig rig = rig(10)) {
            rig.connect(rig.client("actpass", place(1)));
            rig.advance(IDLE_SECONDS * 1_000 - 200);
            assertThat(rig.calls().count()).isEqualTo(1);
            rig.advance(300);
            assertThat(endReason(rig.agent().awaitCall()))
                    .isEqualTo(EndReason.END_REASON_IDLE_TIMEOUT);
        }
    }

    @Test
    void livesOnWhileTheClientSpeaks() {
        try (Rig rig = rig(10)) {
            Peer peer = rig.client("actpass", place(1));
            rig.connect(peer);
            for (int i = 1; i < 5; i++) {
                rig.advance(IDLE_SECONDS * 900);
                peer.sendOpus(i, i * 960, (byte) 0xF8, (byte) 1);
            }
            assertThat(rig.calls().count()).isEqualTo(1);
        }
    }

    @Test
    void livesOnWhileTheAgentSpeaks() {
        try (Rig rig = rig(10)) {
            Peer peer = rig.client("actpass", place(1));
            rig.connect(peer);
            FakeVoiceAgent.Call call = rig.agent().awaitCall();
            for (int i = 1; i < 5; i++) {
                rig.advance(IDLE_SECONDS * 900);
                int said = i;
                peer.consent(rig.now());
                call.say("r", (byte) 0xF8, (byte) i);
                rig.advanceUntil(() -> peer.speech().size() == said);
            }
            assertThat(rig.calls().count()).isEqualTo(1);
        }
    }

    @Test
    void livesOnWhileDataComes() {
        try (Rig rig = rig(10)) {
            Peer peer = rig.client("actpass", place(1));
            rig.connect(peer);
            for (int i = 1; i < 5; i++) {
                rig.advance(IDLE_SECONDS * 900);
                long before = rig.counters().getOrDefault("dtls_data", 0L);
                peer.sendData((byte) 1);
                rig.pump(() -> rig.counters().getOrDefault("dtls_data", 0L) > before);
            }
            assertThat(rig.calls().count()).isEqualTo(1);
        }
    }

    @Test
    void hasHandshakesWaitForTheirTurn() {
        try (Rig rig = rig(1)) {
            Peer stopped = rig.client("active", place(1));
            rig.create(stopped);
            stopped.check(rig.now());
            stopped.sendHello();
            rig.run();
            Peer next = rig.client("active", place(2));
            rig.create(next);
            next.check(rig.now());
            // Its hello waits with it.
            next.startDtls();
            rig.advance(190);
            assertThat(next.dtlsDone()).isFalse();
            assertThat(rig.loop().counters().handshakes.get()).isEqualTo(1);

            // The first one has been silent for too long.
            rig.advance(40);
            rig.pump(next::dtlsDone);
            rig.pump(() -> rig.loop().counters().handshakes.get() == 0);
        }
    }

    @Test
    void givesNoPlaceToAClientThatHasYetToSayHello() {
        try (Rig rig = rig(1)) {
            Peer mute = rig.client("active", place(1));
            rig.create(mute);
            mute.check(rig.now());
            rig.run();
            assertThat(rig.loop().counters().handshakes.get()).isZero();
        }
    }

    @Test
    void finishesAHandshakeThatHasLeftItsPlace() {
        try (Rig rig = rig(1)) {
            Peer slow = rig.client("actpass", place(1));
            rig.create(slow);
            slow.check(rig.now());
            rig.advance(1_000);
            assertThat(rig.loop().counters().handshakes.get()).isZero();
            slow.startDtls();
            rig.pump(slow::dtlsDone);
            rig.pump(() -> rig.loop().counters().handshakes.get() == 0);
        }
    }

    @Test
    void endsItsCallsWhenTheLoopDies() {
        try (Rig rig = rig(10)) {
            Peer peer = rig.client("actpass", place(1));
            rig.connect(peer);
            rig.loop().die();
            assertThat(rig.calls().count()).isZero();
            assertThat(rig.loop().isDead()).isTrue();
            assertThat(endReason(rig.agent().awaitCall()))
                    .isEqualTo(EndReason.END_REASON_INTERNAL_ERROR);
            assertThat(
                            catchThrowable(
                                    () -> {
                                        Peer other = rig.client("actpass", place(2));
                                        var _ = rig.create(other);
                                    }))
                    .hasMessageContaining("this transceiver has failed");
            assertThat(rig.calls().count()).isZero();
        }
    }

    @Test
    void endsACallThatItsLoopHasNotLivedToTake() {
        try (Rig rig = rig(10)) {
            CreateSessionResponse created = rig.createUnnoticed(rig.client("actpass", place(1)));
            rig.loop().die();

            assertThat(rig.calls().count()).isZero();
            assertThat(rig.describe(created).getEndReason())
                    .isEqualTo(EndReason.END_REASON_INTERNAL_ERROR);
            assertThat(rig.traces().spans(rig.traces().ids().getFirst()))
                    .isNotEmpty()
                    .allMatch(SpanData::hasEnded);
            assertThat(rig.agent().awaitCall().awaitEnd()).isEqualTo("cancelled");
        }
    }

    @Test
    void answersNoCommandOnceItIsDead() {
        try (Rig rig = rig(10)) {
            rig.connect(rig.client("actpass", place(1)));
            Session session = rig.loop().table().all().getFirst();
            rig.loop().die();
            assertThat(catchThrowable(() -> rig.loop().describe(session).get()))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("the media loop has died");
            assertThat(rig.loop().endAll(dev.parley.transceiver.session.EndReason.SHUTDOWN, ""))
                    .isCompleted();
        }
    }

    @Test
    void leavesNothingOfCallersThatVanish() {
        try (Rig rig = rig(10)) {
            for (int round = 0; round < 100; round++) {
                Peer peer = rig.client("actpass", place(1 + round % 200));
                rig.create(peer);
                if (round % 4 > 0) {
                    peer.check(rig.now());
                }
                if (round % 4 == 2) {
                    rig.run();
                    peer.startDtls();
                    rig.pump(peer::dtlsDone);
                }
                rig.advance(round % 4 == 2 ? IDLE_SECONDS * 1_000 + 20 : 15_020);
            }
            rig.pump(() -> rig.calls().count() == 0);
            assertThat(rig.loop().table().size()).isZero();
            assertThat(rig.loop().table().peers()).isZero();
            assertThat(rig.loop().counters().handshakes.get()).isZero();
        }
    }
}
