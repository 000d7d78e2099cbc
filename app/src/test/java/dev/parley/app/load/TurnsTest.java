package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final long MILLI = 1_000_000;
    private static final int VOICE = 80;
    private static final int SILENCE = 5;

    private final Tally tally = new Tally();
    private final TalkModel talk = new TalkModel(1, 1, new Random(1), 0);
    private final Turns turns = new Turns();

    @Test
    void timesTheAnswerToAPause() {
        long pause = talkUntilChanged(0);
        turns.heard(SILENCE, pause + 100 * MILLI, tally);
        turns.heard(VOICE, pause + 300 * MILLI, tally);
        turns.heard(VOICE, pause + 320 * MILLI, tally);

        assertThat(tally.turns).isOne();
        assertThat(tally.answer.getMaxValue()).isCloseTo(300_000L, within());
    }

    @Test
    void timesTheSilenceAfterABargeIn() {
        long pause = talkUntilChanged(0);
        turns.heard(VOICE, pause + 100 * MILLI, tally);
        long interrupts = pause + 100 * MILLI;
        while (!talk.talking()) {
            interrupts += 20 * MILLI;
            talk.at(interrupts);
            turns.heard(VOICE, interrupts, tally);
            turns.talk(talk, interrupts, tally);
        }
        turns.heard(VOICE, interrupts + 60 * MILLI, tally);
        for (int i = 1; i < 20; i++) {
            talk.at(interrupts + i * 20L * MILLI);
            turns.talk(talk, interrupts + i * 20L * MILLI, tally);
        }

        assertThat(tally.bargeIns).isOne();
        assertThat(tally.bargeIn.getMaxValue()).isCloseTo(60_000L, within());
    }

    @Test
    void countsAPauseThatNobodyAnswers() {
        long pause = talkUntilChanged(0);
        untilTalking(pause, false);

        assertThat(tally.turns).isZero();
        assertThat(tally.answersMissing).isOne();
    }

    @Test
    void countsABargeInThatTheAgentTalksOver() {
        long pause = talkUntilChanged(0);
        turns.heard(VOICE, pause + 20 * MILLI, tally);
        long now = untilTalking(pause + 20 * MILLI, true);
        while (talk.talking()) {
            now += 20 * MILLI;
            turns.heard(VOICE, now, tally);
            talk.at(now);
            turns.talk(talk, now, tally);
        }

        assertThat(tally.bargeIns).isZero();
        assertThat(tally.bargeInsUnanswered).isOne();
        assertThat(tally.answersMissing).isZero();
    }

    private long untilTalking(long fromNanos, boolean agentTalks) {
        long now = fromNanos;
        while (!talk.talking()) {
            now += 20 * MILLI;
            if (agentTalks) {
                turns.heard(VOICE, now, tally);
            }
            talk.at(now);
            turns.talk(talk, now, tally);
        }
        return now;
    }

    private long talkUntilChanged(long fromNanos) {
        long now = fromNanos;
        do {
            now += 20 * MILLI;
            talk.at(now);
            turns.talk(talk, now, tally);
        } while (talk.talking());
        return now;
    }

    private static org.assertj.core.data.Percentage within() {
        return org.assertj.core.data.Percentage.withPercentage(2);
    }
}
