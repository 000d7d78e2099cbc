package dev.parley.rtc.ice;

import static dev.parley.rtc.ice.LiteChecks.FIRST;
import static dev.parley.rtc.ice.LiteChecks.MOBILE;
import static dev.parley.rtc.ice.LiteChecks.SECOND;
import static dev.parley.rtc.ice.LiteChecks.SECOND_ONE;
import static dev.parley.rtc.ice.LiteChecks.START;
import static dev.parley.rtc.ice.LiteChecks.WIFI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DTLS in checks and their answers, draft-hancke-webrtc-sped, at the lite side. */
class DtlsInStunTest {
    private static final byte[] HELLO = packet(1, 150);
    private static final byte[] KEYS = packet(2, 300);
    private static final byte[] FINISHED = packet(3, 60);

    private final LiteChecks checks = new LiteChecks();
    private final DtlsInStun dtls = new DtlsInStun();
    private long now = START;

    @BeforeEach
    void carry() {
        checks.ice.carry(dtls);
    }

    private static void asks(StunWriter check) {
        check.dtlsAck(new int[0], 0);
    }

    private static byte[] packet(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        bytes[0] = 22;
        return bytes;
    }

    private static int crc(byte[] packet) {
        CRC32 crc = new CRC32();
        crc.update(packet);
        return (int) crc.getValue();
    }

    private static Consumer<StunWriter> acks(byte[]... packets) {
        int[] crcs = Arrays.stream(packets).mapToInt(DtlsInStunTest::crc).toArray();
        return check -> check.dtlsAck(crcs, crcs.length);
    }

    private static Consumer<StunWriter> data(byte[] packet) {
        return check -> check.dtlsAck(new int[0], 0).dtls(packet);
    }

    private StunReader check(Consumer<StunWriter> with) {
        return check(with, WIFI);
    }

    private StunReader check(Consumer<StunWriter> with, IcePath from) {
        checks.handle(checks.check(FIRST, false, with), from, now++);
        return checks.answer();
    }

    private void arrives(byte[] packet) {
        dtls.received(ByteBuffer.wrap(packet), 0, packet.length);
    }

    /** The path has got something, and so may get as much as fits. */
    private void prove() {
        check(_ -> {});
        checks.ice.claimHandshakePath(10, now);
        checks.ice.handshakeDone(now);
    }

    private static byte[] dtlsOf(StunReader answer) {
        byte[] bytes = new byte[answer.dtlsLength()];
        answer.buffer().get(answer.dtlsOffset(), bytes);
        return bytes;
    }

    private static List<Integer> acksOf(StunReader answer) {
        List<Integer> acks = new ArrayList<>();
        for (int i = 0; i < answer.dtlsAckCount(); i++) {
            acks.add(answer.dtlsAck(i));
        }
        return acks;
    }

    @Test
    void tellsAClientThatAsksThatItIsUnderstood() {
        StunReader answer = check(DtlsInStunTest::asks);

        assertThat(answer.hasDtlsAck()).isTrue();
        assertThat(answer.dtlsAckCount()).isZero();
        // The draft: not there when nothing is embedded.
        assertThat(answer.hasDtls()).isFalse();
    }

    @Test
    void saysNothingToAClientThatDoesNotAsk() {
        dtls.sent(HELLO);

        StunReader answer = check(_ -> {});

        assertThat(answer.hasDtlsAck()).isFalse();
        assertThat(answer.hasDtls()).isFalse();
    }

    @Test
    void saysNothingWhenItWasNotAgreedOn() {
        LiteChecks plain = new LiteChecks();

        plain.handle(plain.check(FIRST, true, data(HELLO)), WIFI, START);

        assertThat(plain.ice.answerCarriesDtls()).isFalse();
        assertThat(plain.answer().hasDtlsAck()).isFalse();
        assertThat(plain.answer().hasDtls()).isFalse();
    }

    @Test
    void acknowledgesInTheAnswerWhatTheCheckHasBrought() {
        assertThat(acksOf(check(data(HELLO)))).containsExactly(crc(HELLO));
    }

    @Test
    void acknowledgesWhatCameByItself() {
        arrives(HELLO);
        arrives(HELLO);
        arrives(KEYS);

        assertThat(acksOf(check(DtlsInStunTest::asks))).containsExactly(crc(HELLO), crc(KEYS));
    }

    @Test
    void acknowledgesTheLastFour() {
        List<Integer> crcs = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            byte[] packet = packet(100 + i, 50);
            crcs.add(crc(packet));
            arrives(packet);
        }

        assertThat(acksOf(check(DtlsInStunTest::asks))).isEqualTo(crcs.subList(2, 6));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 12})
    void takesNothingThatIsTooShortForARecord(int length) {
        assertThat(acksOf(check(data(Arrays.copyOf(HELLO, length))))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 19, 64, 128, 255})
    void takesNothingThatIsNoDtls(int first) {
        byte[] packet = HELLO.clone();
        packet[0] = (byte) first;

        assertThat(acksOf(check(data(packet)))).isEmpty();
    }

    @Test
    void carriesWhatIsPendingUntilItIsAcknowledged() {
        dtls.sent(HELLO);

        assertThat(dtlsOf(check(DtlsInStunTest::asks))).isEqualTo(HELLO);
        assertThat(checks.ice.answerCarriesDtls()).isTrue();
        assertThat(dtlsOf(check(acks(KEYS)))).isEqualTo(HELLO);
        assertThat(check(acks(KEYS, HELLO)).hasDtls()).isFalse();
        assertThat(checks.ice.answerCarriesDtls()).isFalse();
        assertThat(check(DtlsInStunTest::asks).hasDtlsAck()).isTrue();
    }

    @Test
    void takesTurnsBetweenDatagramsOfOneFlight() {
        prove();
        dtls.sent(HELLO);
        dtls.sent(KEYS);

        List<byte[]> carried =
                List.of(dtlsOf(check(DtlsInStunTest::asks)), dtlsOf(check(DtlsInStunTest::asks)));

        assertThat(carried).containsExactlyInAnyOrder(HELLO, KEYS);
        assertThat(dtlsOf(check(acks(HELLO)))).isEqualTo(KEYS);
        assertThat(dtlsOf(check(DtlsInStunTest::asks))).isEqualTo(KEYS);
    }

    @Test
    void aFlightReplacesTheOneBeforeIt() {
        prove();
        dtls.sent(HELLO);
        check(data(packet(9, 100)));
        dtls.sent(KEYS);
        dtls.sent(FINISHED);

        for (int i = 0; i < 4; i++) {
            assertThat(dtlsOf(check(DtlsInStunTest::asks))).isNotEqualTo(HELLO);
        }
    }

    @ParameterizedTest
    @ValueSource(bytes = {21, 23})
    void whatIsOfNoHandshakeIsNotAcknowledgedAndEndsNoFlight(byte type) {
        prove();
        byte[] packet = packet(9, 100);
        packet[0] = type;
        dtls.sent(HELLO);
        arrives(packet);
        dtls.sent(KEYS);

        List<byte[]> carried = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            StunReader answer = check(DtlsInStunTest::asks);
            assertThat(acksOf(answer)).isEmpty();
            carried.add(dtlsOf(answer));
        }
        assertThat(carried).containsExactlyInAnyOrder(HELLO, KEYS);
    }

    @Test
    void aDatagramThatIsSentAgainIsThereOnce() {
        dtls.sent(HELLO);
        arrives(KEYS);
        dtls.sent(HELLO.clone());

        assertThat(check(acks(HELLO)).hasDtls()).isFalse();
    }

    @Test
    void keepsNoMoreThanFourDatagrams() {
        prove();
        for (int i = 0; i < 20; i++) {
            dtls.sent(packet(50 + i, 40));
        }

        List<byte[]> carried = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            carried.add(dtlsOf(check(DtlsInStunTest::asks)));
        }
        assertThat(carried.stream().map(DtlsInStunTest::crc).distinct()).hasSize(4);
        assertThat(carried).contains(packet(69, 40)).doesNotContain(packet(65, 40));
    }

    @Test
    void forgetsWhatItHasSentWhenTheLastFlightHasCome() {
        dtls.sent(HELLO);
        arrives(FINISHED);
        dtls.handshakeDone(false);

        StunReader answer = check(data(FINISHED));

        assertThat(answer.hasDtls()).isFalse();
        // By this the client knows that it has come.
        assertThat(acksOf(answer)).containsExactly(crc(FINISHED));
    }

    @Test
    void carriesItsLastFlightUntilThatIsAcknowledged() {
        arrives(KEYS);
        dtls.sent(FINISHED);
        dtls.handshakeDone(true);

        assertThat(dtlsOf(check(DtlsInStunTest::asks))).isEqualTo(FINISHED);
        assertThat(check(acks(FINISHED)).hasDtls()).isFalse();
    }

    @Test
    void aClientThatAsksNoMoreIsThroughWithIt() {
        dtls.sent(FINISHED);
        dtls.handshakeDone(true);

        assertThat(check(_ -> {}).hasDtls()).isFalse();
        assertThat(check(DtlsInStunTest::asks).hasDtls()).isFalse();
    }

    @Test
    void aTransactionThatComesAgainGetsNoDtlsAndNoMoreThanItHasSent() {
        prove();
        for (int i = 0; i < 4; i++) {
            arrives(packet(200 + i, 50));
        }
        dtls.sent(HELLO);
        byte[] recorded = checks.check(FIRST, false, DtlsInStunTest::asks);
        checks.handle(recorded, WIFI, now);
        assertThat(checks.answer().hasDtls()).isTrue();

        assertThat(checks.handle(recorded, LiteChecks.path(66), now))
                .isEqualTo(IceVerdict.REPEATED);

        assertThat(checks.answer().hasDtls()).isFalse();
        assertThat(checks.ice.answerCarriesDtls()).isFalse();
        assertThat(checks.ice.answerLength()).isLessThanOrEqualTo(recorded.length);
    }

    @Test
    void readsNothingFromWhoDoesNotKnowThePassword() {
        dtls.sent(HELLO);
        IceCredentials guessed = new IceCredentials(FIRST.ufrag(), SECOND_ONE.password());
        Consumer<StunWriter> both = acks(HELLO).andThen(check -> check.dtls(KEYS));

        assertThat(checks.handle(checks.check(guessed, true, both), WIFI, now))
                .isEqualTo(IceVerdict.WRONG_INTEGRITY);

        StunReader answer = check(DtlsInStunTest::asks);
        assertThat(dtlsOf(answer)).isEqualTo(HELLO);
        assertThat(acksOf(answer)).isEmpty();
    }

    @Test
    void readsNothingThatComesAgain() {
        byte[] recorded = checks.check(FIRST, false, data(KEYS));
        checks.handle(recorded, WIFI, now);
        for (int i = 0; i < 4; i++) {
            arrives(packet(200 + i, 50));
        }

        checks.handle(recorded, WIFI, now);

        assertThat(acksOf(check(DtlsInStunTest::asks))).doesNotContain(crc(KEYS));
    }

    @Test
    void carriesDtlsToWhereItGoesAnyway() {
        check(DtlsInStunTest::asks);
        dtls.sent(HELLO);

        assertThat(check(DtlsInStunTest::asks, MOBILE).hasDtls()).isFalse();
        assertThat(checks.answer().hasDtlsAck()).isTrue();
        assertThat(check(DtlsInStunTest::asks).hasDtls()).isTrue();
    }

    @Test
    void aPathGetsNoMoreThanThreeTimesWhatCameFromIt() {
        dtls.sent(packet(7, 900));
        int came = 0;
        int sent = 0;
        int carried = 0;
        for (int i = 0; i < 40; i++) {
            byte[] check = checks.check(FIRST, false, DtlsInStunTest::asks);
            checks.handle(check, WIFI, now++);
            came += check.length;
            sent += checks.ice.answerLength();
            carried += checks.ice.answerCarriesDtls() ? 1 : 0;
            assertThat(sent).isLessThanOrEqualTo(3 * came);
        }
        assertThat(carried).isBetween(5, 20);
    }

    @Test
    void whatAnAnswerCarriesLeavesTheGrantToWhatGoesByItself() {
        dtls.sent(packet(7, 600));
        for (int i = 0; i < 10; i++) {
            check(DtlsInStunTest::asks);
        }

        assertThat(checks.ice.claimHandshakePath(UnprovenBudget.GRANT_BYTES, now)).isNotNull();
    }

    @Test
    void whatAnswersCarryEndsWithHalfOfWhatGoesWithoutAProof() {
        byte[] packet = packet(8, 400);
        dtls.sent(packet(7, 900));
        int carried = 0;
        for (int i = 0; i < 200; i++) {
            check(data(packet));
            carried += checks.ice.answerCarriesDtls() ? checks.ice.answerLength() : 0;
        }

        assertThat(carried)
                .isBetween(UnprovenBudget.TOTAL_BYTES / 2 - 1_100, UnprovenBudget.TOTAL_BYTES / 2);
        // Without it DTLS goes on by itself.
        assertThat(checks.ice.claimHandshakePath(1_100, now)).isNotNull();
        // Answers as such do not end.
        assertThat(acksOf(check(data(packet)))).containsExactly(crc(packet));
    }

    @Test
    void noAnswerIsLongerThanWhatFitsEveryPath() {
        prove();
        int longest = 0;
        for (int length = 1_000; length <= 1_200; length++) {
            arrives(packet(length, 30));
            dtls.sent(packet(length, length));
            StunReader answer = check(DtlsInStunTest::asks);
            longest = Math.max(longest, answer.hasDtls() ? answer.dtlsLength() : 0);
            assertThat(checks.ice.answerLength()).isLessThanOrEqualTo(1_200);
        }
        assertThat(longest).isGreaterThanOrEqualTo(1_096);
    }

    @Test
    void provesThePathByTheHandshakeStill() {
        dtls.sent(HELLO);
        check(DtlsInStunTest::asks);
        checks.ice.claimHandshakePath(100, now);
        checks.ice.handshakeDone(now);

        // Otherwise a check of our own would be due.
        assertThat(checks.ownCheck(now + SECOND)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void staysWithinItsBoundsWhateverAClientSays(long seed) {
        Random random = new Random(seed);
        int came = 0;
        int sent = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] value = new byte[random.nextInt(random.nextBoolean() ? 30 : 500)];
            random.nextBytes(value);
            byte[] check =
                    checks.check(
                            FIRST,
                            random.nextBoolean(),
                            writer ->
                                    writer.attribute(0xC070 + random.nextInt(2), value)
                                            .attribute(0xC070 + random.nextInt(2), value));
            if (random.nextInt(4) == 0) {
                dtls.sent(packet(i, 1 + random.nextInt(1_200)));
            }
            checks.handle(check, WIFI, now);
            came += check.length;
            sent += checks.ice.answerLength();
            assertThat(checks.answer().dtlsAckCount()).isBetween(0, 4);
            assertThat(checks.ice.answerLength()).isLessThanOrEqualTo(1_200);
            assertThat(sent).isLessThanOrEqualTo(3 * came);
            now += SECOND / 10;
        }
    }
}
