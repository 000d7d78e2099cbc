package dev.parley.rtc.ice;

import static dev.parley.rtc.ice.LiteChecks.FIRST;
import static dev.parley.rtc.ice.LiteChecks.MOBILE;
import static dev.parley.rtc.ice.LiteChecks.SECOND;
import static dev.parley.rtc.ice.LiteChecks.START;
import static dev.parley.rtc.ice.LiteChecks.WIFI;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Nobody can turn a session on a third party by recording and forging. */
class IceReturnPathTest {
    private static final IcePath VICTIM = LiteChecks.path(66);

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
    void sendsLittleToAPathThatOneUnseenCheckNominated() {
        checks.nominate(FIRST, WIFI, START);
        checks.probe(FIRST, WIFI, START + 1);
        checks.nominate(FIRST, VICTIM, START + 2);

        for (int i = 0; i < IceLite.UNPROVEN_PACKETS; i++) {
            assertThat(claimed(START + 3).isSamePair(VICTIM)).isTrue();
        }
        // Nothing but the forged check says that there is anybody.
        assertThat(claimed(START + 4).isSamePair(WIFI)).isTrue();
        assertThat(ice.claimPath(START + 1 + 30 * SECOND)).isNull();
    }

    @Test
    void grantsNoMoreForOneForgedAddressAfterAnother() {
        checks.nominate(FIRST, WIFI, START);
        checks.probe(FIRST, WIFI, START + 1);
        int sent = 0;
        for (int host = 100; host < 120; host++) {
            checks.nominate(FIRST, LiteChecks.path(host), START + 2);
            for (int i = 0; i < IceLite.UNPROVEN_PACKETS; i++) {
                sent += claimed(START + 3).isSamePair(WIFI) ? 0 : 1;
            }
        }
        assertThat(sent).isEqualTo(IceLite.UNPROVEN_PACKETS);
    }

    @Test
    void sendsWithoutEndWhereMediaComesFrom() {
        checks.nominate(FIRST, WIFI, START);
        ice.heard(WIFI, START);
        assertClaims(10_000, WIFI);
    }

    @Test
    void sendsWithoutEndWhereASecondCheckComesFrom() {
        checks.nominate(FIRST, WIFI, START);
        checks.probe(FIRST, WIFI, START + SECOND);
        assertClaims(10_000, WIFI);
    }

    @Test
    void grantsAgainWhenTheClientMovesForGood() {
        for (int host = 10; host < 20; host++) {
            checks.nominate(FIRST, LiteChecks.path(host), START + host);
            assertClaims(IceLite.UNPROVEN_PACKETS, LiteChecks.path(host));
            ice.heard(LiteChecks.path(host), START + host);
        }
    }

    @Test
    void asksForProofAnewWhenAPathWasLongForgotten() {
        checks.nominate(FIRST, WIFI, START);
        ice.heard(WIFI, START);
        checks.nominate(FIRST, MOBILE, START + 40 * SECOND);
        ice.heard(MOBILE, START + 40 * SECOND);

        checks.nominate(FIRST, WIFI, START + 41 * SECOND);
        for (int i = 0; i < IceLite.UNPROVEN_PACKETS; i++) {
            assertThat(claimed(START + 41 * SECOND).isSamePair(WIFI)).isTrue();
        }
        assertThat(claimed(START + 41 * SECOND).isSamePair(MOBILE)).isTrue();
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
        checks.nominate(FIRST, WIFI, START);
        ice.heard(WIFI, START);
        ice.contest(WIFI);
        assertThat(ice.isContested(WIFI)).isTrue();
        assertThat(claimed(START + 8 * SECOND - 1).isSamePair(WIFI)).isTrue();
        assertThat(ice.claimPath(START + 8 * SECOND)).isNull();

        ice.heard(WIFI, START + 9 * SECOND);
        assertThat(ice.isContested(WIFI)).isFalse();
        assertThat(claimed(START + 29 * SECOND).isSamePair(WIFI)).isTrue();
    }

    @Test
    void goesBackToThePathBeforeWhenTheOneInUseIsContested() {
        checks.nominate(FIRST, WIFI, START);
        ice.heard(WIFI, START);
        checks.nominate(FIRST, MOBILE, START + SECOND);
        ice.contest(MOBILE);
        assertThat(claimed(START + 10 * SECOND).isSamePair(WIFI)).isTrue();
        ice.contest(WIFI);
        assertThat(ice.claimPath(START + 10 * SECOND)).isNull();
        checks.probe(FIRST, MOBILE, START + 11 * SECOND);
        assertThat(claimed(START + 11 * SECOND).isSamePair(MOBILE)).isTrue();
    }

    @Test
    void contestsNothingThatItDoesNotKnow() {
        ice.contest(WIFI);
        assertThat(ice.isContested(WIFI)).isFalse();
    }

    private void assertClaims(int packets, IcePath path) {
        for (int i = 0; i < packets; i++) {
            assertThat(claimed(START + SECOND).isSamePair(path)).isTrue();
        }
    }

    private IcePath claimed(long nowNanos) {
        return requireNonNull(ice.claimPath(nowNanos));
    }
}
