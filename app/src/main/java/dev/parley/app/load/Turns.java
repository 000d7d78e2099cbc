package dev.parley.app.load;

/**
 * How fast an agent answers a caller who pauses, and falls silent for one who interrupts it, as the
 * caller hears it. An agent that sends nothing, or packets too small for a voice, is silent. One
 * that has not answered when the caller talks again, or not stopped when he pauses again, is
 * counted as well: without those only the good would be timed. Owned by its call.
 */
final class Turns {
    /** What Opus needs for silence at most. */
    private static final int SILENCE_BYTES = 16;

    /** Without a voice for so long, the agent has stopped. */
    private static final long STOPPED_NANOS = 200_000_000L;

    private boolean voiceEver;
    private long voiceNanos;
    private boolean interrupting;
    private long interruptNanos;
    private boolean waiting;
    private long pauseNanos;

    /** The caller sends a frame. */
    void talk(TalkModel talk, long nowNanos, Tally tally) {
        boolean speaking = voiceEver && nowNanos - voiceNanos < STOPPED_NANOS;
        if (talk.changed() && talk.talking()) {
            tally.answersMissing += waiting ? 1 : 0;
            waiting = false;
            interrupting = speaking;
            interruptNanos = nowNanos;
        } else if (talk.changed()) {
            waiting = !speaking;
            tally.bargeInsUnanswered += interrupting && speaking ? 1 : 0;
            interrupting &= !speaking;
            pauseNanos = nowNanos;
        }
        if (interrupting && !speaking) {
            interrupting = false;
            tally.bargeIns++;
            Tally.record(tally.bargeIn, voiceNanos - interruptNanos);
        }
    }

    /** The caller hears a packet. */
    void heard(int payloadBytes, long nowNanos, Tally tally) {
        if (payloadBytes <= SILENCE_BYTES) {
            return;
        }
        if (waiting) {
            waiting = false;
            tally.turns++;
            Tally.record(tally.answer, nowNanos - pauseNanos);
        }
        voiceEver = true;
        voiceNanos = nowNanos;
    }
}
