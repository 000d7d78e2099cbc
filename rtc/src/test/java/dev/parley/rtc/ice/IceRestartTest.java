package dev.parley.rtc.ice;

import static dev.parley.rtc.ice.LiteChecks.CLIENT;
import static dev.parley.rtc.ice.LiteChecks.FIRST;
import static dev.parley.rtc.ice.LiteChecks.MOBILE;
import static dev.parley.rtc.ice.LiteChecks.SECOND;
import static dev.parley.rtc.ice.LiteChecks.SECOND_ONE;
import static dev.parley.rtc.ice.LiteChecks.START;
import static dev.parley.rtc.ice.LiteChecks.THIRD;
import static dev.parley.rtc.ice.LiteChecks.WIFI;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** RFC 8445 9: an ICE restart of a lite session. */
class IceRestartTest {
    private final LiteChecks checks = new LiteChecks();
    private final IceLite ice = checks.ice;

    @Test
    void answersOldAndNewCredentialsEachWithItsOwnPassword() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);

        assertThat(checks.probe(FIRST, WIFI, START + 1)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.answeredWith(FIRST)).isTrue();
        assertThat(checks.probe(SECOND_ONE, MOBILE, START + 2)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.answeredWith(SECOND_ONE)).isTrue();
    }

    @Test
    void refusesOnesUfragWithTheOthersPassword() {
        ice.restart(SECOND_ONE, CLIENT);
        IceCredentials mixed = new IceCredentials(FIRST.ufrag(), SECOND_ONE.password());

        assertThat(checks.probe(mixed, WIFI, START)).isEqualTo(IceVerdict.WRONG_INTEGRITY);
        assertThat(ice.answerLength()).isZero();
    }

    @Test
    void keepsMediaWhereItIsUntilTheNewGenerationNominates() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);
        assertThat(checks.isSelected(WIFI)).isTrue();

        checks.probe(SECOND_ONE, MOBILE, START + SECOND);
        assertThat(checks.isSelected(WIFI)).isTrue();
        assertThat(checks.nominate(SECOND_ONE, MOBILE, START + 2 * SECOND))
                .isEqualTo(IceVerdict.SELECTED);
        assertThat(checks.isSelected(MOBILE)).isTrue();
    }

    @Test
    void goesOnFromAnUnchangedAddress() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);

        assertThat(checks.nominate(SECOND_ONE, WIFI, START + SECOND))
                .isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.isSelected(WIFI)).isTrue();
        assertThat(ice.pathCount()).isOne();
    }

    @Test
    void doesNotGoBackForANominationOfTheOldGeneration() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);
        checks.nominate(SECOND_ONE, MOBILE, START + SECOND);

        assertThat(checks.nominate(FIRST, WIFI, START + 2 * SECOND)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.isSelected(MOBILE)).isTrue();
    }

    @Test
    void forgetsTheOldCredentialsSoonAfterTheNewOnesNominate() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);
        checks.nominate(SECOND_ONE, WIFI, START);

        long end = START + LocalCredentials.NOMINATED_GRACE_NANOS;
        assertThat(checks.probe(FIRST, WIFI, end - 1)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.probe(FIRST, WIFI, end)).isEqualTo(IceVerdict.WRONG_USERNAME);
        assertThat(checks.probe(SECOND_ONE, WIFI, end)).isEqualTo(IceVerdict.ANSWERED);
    }

    @Test
    void forgetsTheOldCredentialsThoughTheNewOnesNeverNominate() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);
        checks.probe(SECOND_ONE, WIFI, START);

        long end = START + LocalCredentials.OVERLAP_NANOS;
        assertThat(checks.probe(FIRST, WIFI, end - 1)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.probe(FIRST, WIFI, end)).isEqualTo(IceVerdict.WRONG_USERNAME);
    }

    @Test
    void livesOnWithTheOldCredentialsWhenTheAnswerWasLost() {
        checks.nominate(FIRST, WIFI, START);
        ice.restart(SECOND_ONE, CLIENT);

        for (int second = 5; second < 600; second += 5) {
            assertThat(checks.nominate(FIRST, WIFI, START + second * SECOND))
                    .isEqualTo(IceVerdict.ANSWERED);
        }
        // It tries again; what it never learned of is gone, what it uses is not.
        ice.restart(THIRD, CLIENT);
        assertThat(checks.probe(FIRST, WIFI, START + 601 * SECOND)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(checks.probe(SECOND_ONE, WIFI, START + 602 * SECOND))
                .isEqualTo(IceVerdict.WRONG_USERNAME);
        assertThat(checks.probe(THIRD, WIFI, START + 603 * SECOND)).isEqualTo(IceVerdict.ANSWERED);
    }
}
