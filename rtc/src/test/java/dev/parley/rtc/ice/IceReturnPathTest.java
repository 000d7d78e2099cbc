package dev.parley.rtc.ice;

import static dev.parley.rtc.ice.LiteChecks.CLIENT;
import static dev.parley.rtc.ice.LiteChecks.FIRST;
import static dev.parley.rtc.ice.LiteChecks.MOBILE;
import static dev.parley.rtc.ice.LiteChecks.SECOND;
import static dev.parley.rtc.ice.LiteChecks.SECOND_ONE;
import static dev.parley.rtc.ice.LiteChecks.START;
import static dev.parley.rtc.ice.LiteChecks.WIFI;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Nobody can turn a session on a third party, not even the session's own client. */
class IceReturnPathTest {
    private static final IcePath VICTIM = LiteChecks.path(66);
    private static final int PACKET = 110;
    private static final int PACKETS = 2_000;
    private static final int GRANT = UnprovenBudget.GRANT_BYTES;

    private final LiteChecks checks = new LiteChecks();
    private final IceLite ice = checks.ice;

    @Test
    void followsNoCheckThatIsPlayedBackFromElsewhere() {
        byte[] recorded = checks.check(FIRST, true);
        checks.handle(recorded, WIFI, START);

        assertThat(checks.handle(recorded, VICTIM, START + SECOND)).isEqualTo(IceVerdict.REPEATED);
        assertThat(ice.answerLength()).isPositive().isLessThan(recorded.length);
        assertThat(checks.isSelected(WIFI)).isTrue();
        assertThat(ice.isValid(VICTIM, START + SECOND)).isFalse();
        assertThat(ice.pathCount()).isOne();
    }

    @Test
    void renewsNoConsentByAPlayback() {
        byte[] recorded = checks.check(FIRST, true);
        checks.handle(recorded, WIFI, START);
        checks.handle(recorded, WIFI, START + 29 * SECOND);

        assertThat(ice.isConsentLost(START + 30 * SECOND)).isTrue();
    }

    @Test
    void doesNotGoBackForADuplicateThatWasLongUnderWay() {
        byte[] late = checks.check(FIRST, true);
        checks.handle(late, WIFI, START);
        checks.nominate(FIRST, MOBILE, START + SECOND);

        checks.handle(late, WIFI, START + 2 * SECOND);
        assertThat(checks.isSelected(MOBILE)).isTrue();
    }

    @Test
    void remembersRecordedChecksForAnHour() {
        byte[] recorded = checks.check(FIRST, true);
        checks.handle(recorded, WIFI, START);
        long now = START;
        for (int second = 0; second < 3_600; second += 2) {
            now = START + second * SECOND;
            checks.nominate(FIRST, WIFI, now);
        }

        assertThat(checks.handle(recorded, VICTIM, now)).isEqualTo(IceVerdict.REPEATED);
    }

    @Test
    void sendsLittleToAPathThatNobodyAnswersFrom() {
        connect(WIFI);
        byte[] check = checks.check(FIRST, true);
        checks.handle(check, VICTIM, START + 2);

        int sent = ice.answerLength() + bytesTo(VICTIM, START + 3);
        assertThat(sent).isBetween(GRANT, GRANT + 3 * check.length);
        // The path before is there yet.
        assertThat(claimed(START + 4).isSamePair(WIFI)).isTrue();
        assertThat(ice.claimPath(PACKET, START + 1 + 30 * SECOND)).isNull();
    }

    @Test
    void provesNoPathByWhatAClientSendsFromThere() {
        connect(WIFI);
        int received = 0;
        int sent = 0;
        for (int second = 1; second < 100; second++) {
            byte[] check = checks.check(FIRST, true);
            checks.handle(check, VICTIM, START + second * SECOND);
            received += check.length;
            sent += ice.answerLength();
            for (int i = 0; i < 50; i++) {
                ice.heard(VICTIM, 20, START + second * SECOND);
                received += 20;
            }
            sent += bytesTo(VICTIM, START + second * SECOND);
        }
        assertThat(sent).isLessThanOrEqualTo(GRANT + 3 * received);
    }

    @Test
    void sendsAnUnprovenPathNoMediaAfterAWhileHoweverMuchComesFromThere() {
        connect(WIFI);
        checks.nominate(FIRST, VICTIM, START);
        ice.heard(VICTIM, 1_000_000, START);
        assertThat(bytesTo(VICTIM, START)).isBetween(65_000, UnprovenBudget.TOTAL_BYTES);
        ice.heard(VICTIM, 1_000_000, START + SECOND);
        assertThat(bytesTo(VICTIM, START + SECOND)).isZero();
    }

    @Test
    void grantsNoMoreForOneForgedAddressAfterAnother() {
        connect(WIFI);
        int sent = 0;
        int received = 0;
        for (int host = 100; host < 120; host++) {
            IcePath victim = LiteChecks.path(host);
            byte[] check = checks.check(FIRST, true);
            checks.handle(check, victim, START + 2);
            received += check.length;
            sent += ice.answerLength() + bytesTo(victim, START + 3);
        }
        assertThat(sent).isLessThanOrEqualTo(GRANT + 3 * received);
    }

    @Test
    void sendsAHandshakeLittleAsWell() {
        byte[] check = checks.check(FIRST, true);
        checks.handle(check, VICTIM, START);
        assertThat(ice.shakesHands(VICTIM, 100, START)).isTrue();
        assertThat(ice.shakesHands(WIFI, 100, START)).isFalse();

        int sent = ice.answerLength();
        while (ice.claimHandshakePath(PACKET, START + 1) != null) {
            sent += PACKET;
        }
        assertThat(sent).isBetween(GRANT, GRANT + 3 * (check.length + 100));
    }

    @Test
    void leavesAHandshakeItsRepetitionsWhenAudioGoesOutBeforeItIsDone() {
        checks.nominate(FIRST, WIFI, START);
        assertThat(bytesTo(WIFI, START)).isPositive();

        assertThat(ice.claimHandshakePath(1_000, START)).isNotNull();
        assertThat(ice.claimHandshakePath(1_000, START)).isNotNull();
        assertThat(ice.claimHandshakePath(1_000, START)).isNull();
    }

    @Test
    void sendsWithoutEndWhereAHandshakeWentAlong() {
        connect(WIFI);
        assertThat(bytesTo(WIFI, START + SECOND)).isEqualTo(PACKETS * PACKET);
        assertThat(checks.ownCheck(START + SECOND)).isEmpty();
    }

    @Test
    void takesAHandshakeThatWentAlongTwoPathsForNoProof() {
        checks.nominate(FIRST, WIFI, START);
        ice.claimHandshakePath(PACKET, START);
        checks.nominate(FIRST, MOBILE, START + 1);
        ice.claimHandshakePath(PACKET, START + 1);
        ice.handshakeDone(START + 2);
        assertThat(bytesTo(MOBILE, START + 2)).isLessThan(PACKETS * PACKET);

        checks.probe(FIRST, MOBILE, START + SECOND);
        assertThat(checks.prove(MOBILE, START + SECOND)).isEqualTo(IceVerdict.PROVEN);
        assertThat(bytesTo(MOBILE, START + SECOND)).isEqualTo(PACKETS * PACKET);
    }

    @Test
    void asksAsAFullAgentWouldAndNominatesNothing() {
        connect(WIFI);
        checks.nominate(FIRST, MOBILE, START + SECOND);

        StunReader own = read(checks.ownCheck(START + SECOND));
        assertThat(own.isBindingRequest()).isTrue();
        assertThat(own.usernameEquals("client:ufragFirst".getBytes(US_ASCII))).isTrue();
        assertThat(own.hasIceControlled()).isTrue();
        // libjuice takes 0 for no attribute.
        assertThat(own.tieBreaker()).isEqualTo(1);
        assertThat(own.hasPriority()).isTrue();
        assertThat(own.hasUseCandidate()).isFalse();
        assertThat(own.hasValidFingerprint()).isTrue();
        assertThat(StunIntegrity.shortTerm(CLIENT.password()).verifies(own)).isTrue();
    }

    @Test
    void sendsWithoutEndWhereItsOwnCheckIsAnswered() {
        connect(WIFI);
        checks.nominate(FIRST, MOBILE, START + SECOND);
        byte[] answer = checks.answer(checks.ownCheck(START + SECOND), CLIENT.password());

        // The longest round trip: the client has gone on making checks meanwhile.
        checks.nominate(FIRST, MOBILE, START + 5 * SECOND);
        assertThat(checks.handle(answer, MOBILE, START + 6 * SECOND)).isEqualTo(IceVerdict.PROVEN);
        assertThat(bytesTo(MOBILE, START + 7 * SECOND)).isEqualTo(PACKETS * PACKET);
        assertThat(checks.handle(answer, MOBILE, START + 8 * SECOND))
                .isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(checks.ownCheck(START + 9 * SECOND)).isEmpty();
    }

    @Test
    void takesNoAnswerThatProvesNothing() {
        connect(WIFI);
        checks.nominate(FIRST, MOBILE, START);
        byte[] own = checks.ownCheck(START);
        byte[] answer = checks.answer(own, CLIENT.password());
        byte[] other = answer.clone();
        other[19] ^= 1;
        byte[] damaged = answer.clone();
        damaged[damaged.length - 1] ^= 1;

        assertThat(checks.handle(answer, WIFI, START)).isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(checks.handle(answer, VICTIM, START)).isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(checks.handle(other, MOBILE, START)).isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(checks.handle(damaged, MOBILE, START)).isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(checks.handle(checks.answer(own, FIRST.password()), MOBILE, START))
                .isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(checks.handle(answer, MOBILE, START + 30 * SECOND))
                .isEqualTo(IceVerdict.PROVES_NOTHING);
        assertThat(bytesTo(MOBILE, START + SECOND)).isLessThan(PACKETS * PACKET);
    }

    @Test
    void asksAFewTimesAndThenWithEachFurtherCheck() {
        connect(WIFI);
        checks.nominate(FIRST, MOBILE, START);
        for (long at : new long[] {0, 250, 750, 1_750, 3_750}) {
            assertThat(ice.checkDeadlineNanos(START)).isEqualTo(START + at * SECOND / 1_000);
            assertThat(checks.ownCheck(START + at * SECOND / 1_000 - 1)).isEmpty();
            assertThat(checks.ownCheck(START + at * SECOND / 1_000)).isNotEmpty();
        }
        assertThat(checks.ownCheck(START + 9 * SECOND)).isEmpty();

        bytesTo(MOBILE, START + 10 * SECOND);
        for (int second = 10; second < 100; second++) {
            checks.probe(FIRST, MOBILE, START + second * SECOND);
            // One, even where media has taken all that there was.
            assertThat(checks.ownCheck(START + second * SECOND)).isNotEmpty();
            assertThat(checks.ownCheck(START + second * SECOND + SECOND / 2)).isEmpty();
            bytesTo(MOBILE, START + second * SECOND);
        }
    }

    @Test
    void asksWithTheCredentialsThatTheClientHasCheckedWith() {
        connect(WIFI);
        IceCredentials newer = new IceCredentials("newer", "newer".repeat(5));
        ice.restart(SECOND_ONE, newer);
        checks.nominate(SECOND_ONE, MOBILE, START);

        StunReader own = read(checks.ownCheck(START));
        assertThat(own.usernameEquals("newer:ufragSecond".getBytes(US_ASCII))).isTrue();
        assertThat(StunIntegrity.shortTerm(newer.password()).verifies(own)).isTrue();
    }

    @Test
    void grantsAgainWhenTheClientMovesForGood() {
        for (int move = 1; move < 10; move++) {
            IcePath path = LiteChecks.path(10 + move);
            long now = START + move * UnprovenBudget.RENEWAL_NANOS;
            connectOrMove(path, now);
            assertThat(bytesTo(path, now)).isGreaterThan(GRANT);
            checks.probe(FIRST, path, now + SECOND);
            assertThat(checks.prove(path, now + SECOND)).isEqualTo(IceVerdict.PROVEN);
        }
    }

    @Test
    void grantsLittleToAClientThatProvesItsOwnAddressAgainAndAgain() {
        connect(WIFI);
        int sent = 0;
        int received = 0;
        for (int turn = 0; turn < 100; turn++) {
            long now = START + turn * SECOND / 10;
            checks.nominate(FIRST, LiteChecks.path(100 + turn), now);
            checks.prove(LiteChecks.path(100 + turn), now);
            byte[] check = checks.check(FIRST, true);
            checks.handle(check, VICTIM, now);
            received += check.length;
            sent += ice.answerLength() + checks.ownCheck(now).length + bytesTo(VICTIM, now);
        }
        assertThat(sent).isLessThanOrEqualTo(2 * GRANT + 3 * received);
    }

    private void connectOrMove(IcePath path, long nowNanos) {
        if (ice.findSelected() == null) {
            connect(WIFI);
        }
        checks.nominate(FIRST, path, nowNanos);
    }

    @Test
    void asksForProofAnewWhenAPathWasLongForgotten() {
        connect(WIFI);
        checks.nominate(FIRST, MOBILE, START + 40 * SECOND);
        checks.prove(MOBILE, START + 40 * SECOND);

        checks.nominate(FIRST, WIFI, START + 41 * SECOND);
        assertThat(bytesTo(WIFI, START + 41 * SECOND)).isLessThan(PACKETS * PACKET);
        assertThat(claimed(START + 41 * SECOND).isSamePair(MOBILE)).isTrue();
        checks.probe(FIRST, WIFI, START + 42 * SECOND);
        assertThat(checks.prove(WIFI, START + 42 * SECOND)).isEqualTo(IceVerdict.PROVEN);
    }

    @Test
    void tellsWhenItArrivesOnAPath() {
        byte[] check = checks.check(FIRST, true);
        checks.handle(check, WIFI, START);
        assertThat(ice.hasArrived()).isTrue();
        checks.handle(check, WIFI, START + 1);
        assertThat(ice.hasArrived()).isFalse();
        checks.probe(FIRST, WIFI, START + 2);
        assertThat(ice.hasArrived()).isFalse();
        checks.probe(FIRST, WIFI, START + 40 * SECOND);
        assertThat(ice.hasArrived()).isTrue();
    }

    @Test
    void leavesAPathThatAnotherSessionContestsOnceItsClientIsSilentThere() {
        connect(WIFI);
        ice.contest(WIFI);
        assertThat(ice.isContested(WIFI)).isTrue();
        assertThat(claimed(START + 8 * SECOND - 1).isSamePair(WIFI)).isTrue();
        assertThat(ice.claimPath(PACKET, START + 8 * SECOND)).isNull();

        ice.heard(WIFI, PACKET, START + 9 * SECOND);
        assertThat(ice.isContested(WIFI)).isFalse();
        assertThat(claimed(START + 29 * SECOND).isSamePair(WIFI)).isTrue();
    }

    @Test
    void goesBackToThePathBeforeWhenTheOneInUseIsContested() {
        connect(WIFI);
        checks.nominate(FIRST, MOBILE, START + SECOND);
        ice.contest(MOBILE);
        assertThat(claimed(START + 10 * SECOND).isSamePair(WIFI)).isTrue();
        ice.contest(WIFI);
        assertThat(ice.claimPath(PACKET, START + 10 * SECOND)).isNull();
        checks.probe(FIRST, MOBILE, START + 11 * SECOND);
        assertThat(claimed(START + 11 * SECOND).isSamePair(MOBILE)).isTrue();
    }

    @Test
    void contestsNothingThatItDoesNotKnow() {
        ice.contest(WIFI);
        assertThat(ice.isContested(WIFI)).isFalse();
    }

    /** A call whose handshake has gone along one path. */
    private void connect(IcePath path) {
        checks.nominate(FIRST, path, START);
        assertThat(ice.claimHandshakePath(PACKET, START)).isNotNull();
        ice.handshakeDone(START);
    }

    /**
     * Tries to send a lot; answers how many bytes went along a path, the last that was selected.
     */
    private int bytesTo(IcePath path, long nowNanos) {
        int bytes = 0;
        for (int i = 0; i < PACKETS; i++) {
            IcePath to = ice.claimPath(PACKET, nowNanos);
            bytes += to != null && to.isSamePair(path) ? PACKET : 0;
        }
        return bytes;
    }

    private static StunReader read(byte[] message) {
        StunReader reader = new StunReader();
        assertThat(reader.wrap(ByteBuffer.wrap(message), 0, message.length)).isTrue();
        return reader;
    }

    private IcePath claimed(long nowNanos) {
        return requireNonNull(ice.claimPath(PACKET, nowNanos));
    }
}
