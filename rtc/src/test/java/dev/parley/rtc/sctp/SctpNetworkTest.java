package dev.parley.rtc.sctp;

import static dev.parley.rtc.sctp.SctpPair.MILLIS;
import static dev.parley.rtc.sctp.SctpPair.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.sctp.Association.State;
import dev.parley.rtc.sim.SimLink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two of our associations over networks that do what networks do. */
class SctpNetworkTest {
    private static final SctpConfig CHECKED =
            new SctpConfig(
                    SctpConfig.DEFAULT_PACKET_BYTES,
                    262_144,
                    1_048_576,
                    1_048_576,
                    65_535,
                    true,
                    false,
                    SctpConfig.Timers.DEFAULT);
    private static final SctpConfig PLAIN =
            new SctpConfig(
                    SctpConfig.DEFAULT_PACKET_BYTES,
                    262_144,
                    1_048_576,
                    1_048_576,
                    65_535,
                    false,
                    false,
                    SctpConfig.Timers.DEFAULT);

    @Test
    void bothSidesBeginAtOnce() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 50)).connected();

        for (SctpHost host : List.of(pair.left, pair.right)) {
            assertThat(host.association.state()).isEqualTo(State.ESTABLISHED);
            assertThat(host.events(SctpEvent.Connected.class)).hasSize(1);
            assertThat(host.association.isInterleaved()).isTrue();
            assertThat(host.association.isZeroChecksum()).isTrue();
        }
    }

    @Test
    void oneSideBegins() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 50));
        pair.left.connect();
        pair.run(SECOND);

        assertThat(pair.left.association.state()).isEqualTo(State.ESTABLISHED);
        assertThat(pair.right.association.state()).isEqualTo(State.ESTABLISHED);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void messagesOfAllSizesComeOnceAndInOrderOverARoughNetwork(long seed) {
        for (SctpConfig config : List.of(CHECKED, PLAIN)) {
            SctpPair pair = new SctpPair(seed, SimLink.ROUGH, config, config);
            List<byte[]> sent = payloads(seed, 120);
            pair.left.connect();
            pair.right.connect();
            for (int i = 0; i < sent.size(); i++) {
                assertThat(pair.left.send(i % 3, sent.get(i))).isEqualTo(SendResult.ACCEPTED);
                assertThat(pair.right.send(i % 2, sent.get(i))).isEqualTo(SendResult.ACCEPTED);
            }
            pair.run(240 * SECOND);

            assertInOrder(pair.right, sent, 3);
            assertInOrder(pair.left, sent, 2);
            assertThat(pair.left.association.bufferedBytes()).isZero();
            assertThat(pair.left.association.flightBytes()).isZero();
            assertThat(pair.left.longestPacket()).isLessThanOrEqualTo(1_160);
        }
    }

    private static void assertInOrder(SctpHost host, List<byte[]> sent, int streams) {
        assertThat(host.messages()).hasSize(sent.size());
        for (int stream = 0; stream < streams; stream++) {
            int id = stream;
            List<byte[]> expected =
                    IntStream.range(0, sent.size())
                            .filter(i -> i % streams == id)
                            .mapToObj(sent::get)
                            .toList();
            List<byte[]> got =
                    host.messages().stream()
                            .filter(m -> m.streamId() == id)
                            .map(SctpEvent.Message::payload)
                            .toList();
            assertThat(got).usingRecursiveComparison().isEqualTo(expected);
        }
    }

    private static List<byte[]> payloads(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = i % 10 == 0 ? random.nextInt(1, 20_000) : random.nextInt(1, 2_000);
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            payloads.add(payload);
        }
        return payloads;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theLongestMessageComesWhole(long seed) {
        SctpPair pair = new SctpPair(seed, SctpPair.link(0.05, 50)).connected();
        byte[] longest = new byte[262_144];
        new SplittableRandom(seed).nextBytes(longest);
        pair.left.send(0, longest);
        pair.run(60 * SECOND);

        assertThat(pair.right.messages()).hasSize(1);
        assertThat(pair.right.messages().getFirst().payload()).isEqualTo(longest);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void manyUnorderedMessagesComeOnce(long seed) {
        for (SctpConfig config : List.of(CHECKED, PLAIN)) {
            SctpPair pair = new SctpPair(seed, SimLink.ROUGH, config, config).connected();
            pair.run(20 * SECOND);
            for (int i = 0; i < 200; i++) {
                byte[] payload = new byte[i % 7 == 0 ? 5_000 : 10];
                payload[0] = (byte) i;
                pair.left.send(0, payload, false, Reliability.RELIABLE);
            }
            pair.run(120 * SECOND);

            assertThat(pair.right.messages().stream().map(m -> m.payload()[0]).distinct())
                    .hasSize(200);
            assertThat(pair.right.messages()).hasSize(200);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void unreliableMessagesMayBeLostButOrderIsKeptAndNothingHangs(long seed) {
        for (SctpConfig config : List.of(CHECKED, PLAIN)) {
            SctpPair pair = new SctpPair(seed, SctpPair.link(0.2, 50), config, config).connected();
            pair.run(20 * SECOND);
            for (int i = 0; i < 300; i++) {
                byte[] payload = new byte[i % 5 == 0 ? 3_000 : 100];
                payload[0] = (byte) (i >> 8);
                payload[1] = (byte) i;
                pair.left.send(0, payload, true, Reliability.retransmissions(0));
                pair.left.send(1, new byte[] {(byte) i}, true, Reliability.RELIABLE);
                pair.run(20 * MILLIS);
            }
            pair.run(60 * SECOND);

            List<Integer> got =
                    pair.right.messages().stream()
                            .filter(m -> m.streamId() == 0)
                            .map(m -> ByteBuffer.wrap(m.payload()).getShort() & 0xFFFF)
                            .toList();
            assertThat(got).isSorted().doesNotHaveDuplicates();
            assertThat(got.size()).isBetween(150, 299);
            // More than were lost: of some only the SACK was.
            assertThat(pair.left.association.counters().messagesAbandoned())
                    .isBetween(300L - got.size(), 130L);
            assertThat(pair.right.messages().stream().filter(m -> m.streamId() == 1)).hasSize(300);
            assertThat(pair.left.association.bufferedBytes()).isZero();
        }
    }

    @Test
    void lifetimeEndsInTheQueueToo() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 50)).connected();
        pair.network.link(SimLink.CUT);
        for (int i = 0; i < 100; i++) {
            pair.left.send(0, new byte[1_000], true, Reliability.lifetime(200 * MILLIS));
        }
        pair.run(SECOND);
        pair.network.link(SctpPair.link(0, 50));
        pair.left.send(0, new byte[] {7}, true, Reliability.RELIABLE);
        pair.run(20 * SECOND);

        assertThat(pair.right.messages()).hasSize(1);
        assertThat(pair.right.messages().getFirst().payload()).containsExactly(7);
        assertThat(pair.left.association.bufferedBytes()).isZero();
    }

    @Test
    void aSlowReaderClosesTheWindowAndLosesNothing() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 20)).connected();
        pair.right.reading(false);
        int accepted = 0;
        for (int turn = 0; turn < 200; turn++) {
            while (pair.left.send(0, new byte[10_000]) == SendResult.ACCEPTED) {
                accepted++;
            }
            pair.run(100 * MILLIS);
        }
        // The receiver's window and the sender's buffer, no more.
        assertThat(accepted).isBetween(190, 220);
        assertThat(pair.left.association.state()).isEqualTo(State.ESTABLISHED);

        pair.right.reading(true);
        pair.run(60 * SECOND);
        assertThat(pair.right.messages()).hasSize(accepted);
        assertThat(pair.left.association.bufferedBytes()).isZero();
    }

    @Test
    void aMinuteWithoutNetworkIsSurvivedIfItIsShorterThanTheLimit() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 20)).connected();
        pair.network.link(SimLink.CUT);
        pair.left.send(0, new byte[5_000]);
        pair.run(40 * SECOND);
        pair.network.link(SctpPair.link(0, 20));
        pair.run(4 * SECOND);

        assertThat(pair.right.messages()).hasSize(1);
    }

    @Test
    void aPeerThatIsGoneIsNoticedWithDataInFlightAndWithout() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 20)).connected();
        pair.network.link(SimLink.CUT);
        pair.left.send(0, new byte[5_000]);
        pair.run(2_000 * SECOND);

        for (SctpHost host : List.of(pair.left, pair.right)) {
            assertThat(host.events(SctpEvent.Closed.class))
                    .extracting(SctpEvent.Closed::reason)
                    .containsExactly(SctpEvent.CloseReason.UNREACHABLE);
        }
        assertThat(pair.left.send(0, new byte[1])).isEqualTo(SendResult.CLOSED);
    }

    @Test
    void anIdleAssociationLivesOnHeartbeats() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0.1, 20)).connected();
        pair.run(2_000 * SECOND);

        assertThat(pair.left.association.state()).isEqualTo(State.ESTABLISHED);
        assertThat(pair.left.association.counters().packetsSent()).isBetween(60L, 300L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shutdownDeliversWhatWasAcceptedFirst(long seed) {
        SctpPair pair = new SctpPair(seed, SimLink.ROUGH, CHECKED, CHECKED).connected();
        pair.run(20 * SECOND);
        for (int i = 0; i < 30; i++) {
            pair.left.send(0, new byte[3_000]);
        }
        pair.left.shutdown();
        if (seed % 2 == 0) {
            pair.right.send(0, new byte[9_000]);
            pair.right.shutdown();
        }
        pair.run(120 * SECOND);

        assertThat(pair.right.messages()).hasSize(30);
        assertThat(pair.left.messages()).hasSize(seed % 2 == 0 ? 1 : 0);
        assertThat(pair.left.events(SctpEvent.Closed.class))
                .extracting(SctpEvent.Closed::reason)
                .containsExactly(SctpEvent.CloseReason.SHUTDOWN);
        assertThat(pair.right.association.state()).isEqualTo(State.ENDED);
    }

    @Test
    void abortReachesThePeer() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 20)).connected();
        pair.left.abort();
        pair.run(SECOND);

        assertThat(pair.right.events(SctpEvent.Closed.class))
                .containsExactly(
                        new SctpEvent.Closed(
                                SctpEvent.CloseReason.ABORTED_BY_PEER, "cause 12: enough"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aStreamIsResetAfterAllThatWasSentOnItAndBeginsAgain(long seed) {
        for (SctpConfig config : List.of(CHECKED, PLAIN)) {
            SctpPair pair = new SctpPair(seed, SimLink.ROUGH, config, config).connected();
            pair.run(20 * SECOND);
            for (int round = 0; round < 3; round++) {
                pair.right.events.clear();
                pair.left.events.clear();
                for (int i = 0; i < 5; i++) {
                    pair.left.send(4, new byte[4_000]);
                }
                pair.left.reset(4);
                assertThat(pair.left.send(4, new byte[1])).isEqualTo(SendResult.STREAM_CLOSING);
                pair.run(40 * SECOND);

                assertThat(pair.right.events.getLast()).isEqualTo(new SctpEvent.IncomingReset(4));
                assertThat(pair.right.messages()).hasSize(5);
                assertThat(pair.left.events).containsExactly(new SctpEvent.OutgoingReset(4, true));
            }
        }
    }

    @Test
    void streamsTakeTurnsSoThatALongMessageHoldsUpNoShortOne() {
        Map<SctpConfig, Boolean> configs = Map.of(CHECKED, true, PLAIN, false);
        configs.forEach(
                (config, interleaved) -> {
                    SctpPair pair =
                            new SctpPair(1, SctpPair.link(0, 50), config, config).connected();
                    pair.left.send(0, new byte[200_000]);
                    pair.left.send(1, new byte[10]);
                    pair.run(60 * SECOND);
                    assertThat(pair.right.messages().getFirst().streamId())
                            .isEqualTo(interleaved ? 1 : 0);
                });
    }
}
