package dev.parley.app.load;

import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What happened in one interval: counts, and times in microseconds. Written by one thread, then
 * handed over as a whole and added up.
 */
public final class Tally {
    private static final long MOST_MICROS = 120_000_000L;
    private static final long NANOS_PER_MICRO = 1_000;

    // Calls.
    long offered;
    long connected;
    long failed;
    long brokenOff;
    long hungUp;
    long withoutAudio;

    // Packets.
    long sent;
    long sentAgain;
    long dropped;
    long skipped;
    long received;
    long receivedDropped;
    long undecryptable;
    long marked;
    long returned;
    long markedAndReturned;
    long markedSteady;
    long returnedSteady;
    long markedAtFirst;
    long returnedAtFirst;
    long foreign;
    long expectedDown;
    long arrivedDown;
    long lostUp;
    long sentWithReports;
    long lostUpSteady;
    long sentWithReportsSteady;
    long kernelDrops;
    long unsent;
    long duplicates;
    long rebinds;
    long rebindsUnanswered;
    long restarts;
    long messagesSent;
    long messagesReturned;
    long gapMaxNanos;
    long turns;
    long answersMissing;
    long bargeIns;
    long bargeInsUnanswered;

    final Histogram post = histogram();
    final Histogram ice = histogram();
    final Histogram dtls = histogram();
    final Histogram connect = histogram();
    final Histogram firstAudio = histogram();
    final Histogram echo = histogram();
    final Histogram variation = histogram();
    final Histogram pacing = histogram();
    final Histogram rtcp = histogram();
    final Histogram stun = histogram();
    final Histogram jitter = histogram();
    final Histogram lateness = histogram();
    final Histogram handshakeOwn = histogram();
    final Histogram message = histogram();
    final Histogram rebindGap = histogram();
    final Histogram answer = histogram();
    final Histogram bargeIn = histogram();

    final Map<String, Long> errors = new TreeMap<>();
    final Map<String, Long> refusals = new TreeMap<>();

    private static Histogram histogram() {
        // It grows to what it is given.
        Histogram histogram = new Histogram(2);
        histogram.setAutoResize(true);
        return histogram;
    }

    static void record(Histogram into, long nanos) {
        into.recordValue(Math.clamp(nanos / NANOS_PER_MICRO, 0, MOST_MICROS));
    }

    /** One call less, for this reason. */
    void error(String reason) {
        errors.merge(reason, 1L, Long::sum);
    }

    /** At the end of a run: calls that are neither connected nor failed by now have failed. */
    void closeOff() {
        long unanswered = offered - connected - failed;
        if (unanswered > 0) {
            failed += unanswered;
            errors.merge("unanswered_at_the_end", unanswered, Long::sum);
        }
    }

    /** Of a run that was given up: so many calls were asked for, and the rest was not tried. */
    void notTried(long asked) {
        long rest = asked - offered;
        if (rest > 0) {
            offered += rest;
            failed += rest;
            errors.merge("not_tried", rest, Long::sum);
        }
    }

    /** Told to come again. */
    void refusal(String reason) {
        refusals.merge(reason, 1L, Long::sum);
    }

    void gap(long nanos) {
        gapMaxNanos = Math.max(gapMaxNanos, nanos);
    }

    /** Packets that left and have come back. */
    public long returned() {
        return returned;
    }

    /** Packets of audio that have come, whatever is in them. */
    public long received() {
        return received;
    }

    public long sent() {
        return sent;
    }

    public long connected() {
        return connected;
    }

    /** Calls that never had keys, those included that nobody had answered at the end. */
    public long failed() {
        return failed;
    }

    /** Calls that had keys and never heard anything, as far as they are over. */
    public long withoutAudio() {
        return withoutAudio;
    }

    /** From a packet's leaving to its coming back, microseconds. */
    public Histogram echo() {
        return echo;
    }

    /** How much longer that took than for the call's fastest packet, microseconds. */
    public Histogram variation() {
        return variation;
    }

    /** From a check's leaving to its answer, the edge alone, microseconds. */
    public Histogram stun() {
        return stun;
    }

    /** How late packets left by the generator's own fault, microseconds. */
    public Histogram lateness() {
        return lateness;
    }

    /** Time between two packets of a call beside 20 ms, either way, microseconds. */
    public Histogram pacing() {
        return pacing;
    }

    /** From when a call was due to its keys, microseconds. */
    public Histogram connect() {
        return connect;
    }

    public void add(Tally other) {
        offered += other.offered;
        connected += other.connected;
        failed += other.failed;
        brokenOff += other.brokenOff;
        hungUp += other.hungUp;
        withoutAudio += other.withoutAudio;
        sent += other.sent;
        sentAgain += other.sentAgain;
        dropped += other.dropped;
        skipped += other.skipped;
        received += other.received;
        receivedDropped += other.receivedDropped;
        undecryptable += other.undecryptable;
        marked += other.marked;
        returned += other.returned;
        markedAndReturned += other.markedAndReturned;
        markedSteady += other.markedSteady;
        returnedSteady += other.returnedSteady;
        markedAtFirst += other.markedAtFirst;
        returnedAtFirst += other.returnedAtFirst;
        foreign += other.foreign;
        expectedDown += other.expectedDown;
        arrivedDown += other.arrivedDown;
        lostUp += other.lostUp;
        sentWithReports += other.sentWithReports;
        lostUpSteady += other.lostUpSteady;
        sentWithReportsSteady += other.sentWithReportsSteady;
        kernelDrops += other.kernelDrops;
        unsent += other.unsent;
        duplicates += other.duplicates;
        rebinds += other.rebinds;
        rebindsUnanswered += other.rebindsUnanswered;
        restarts += other.restarts;
        messagesSent += other.messagesSent;
        messagesReturned += other.messagesReturned;
        turns += other.turns;
        answersMissing += other.answersMissing;
        bargeIns += other.bargeIns;
        bargeInsUnanswered += other.bargeInsUnanswered;
        gap(other.gapMaxNanos);
        post.add(other.post);
        ice.add(other.ice);
        dtls.add(other.dtls);
        connect.add(other.connect);
        firstAudio.add(other.firstAudio);
        echo.add(other.echo);
        variation.add(other.variation);
        pacing.add(other.pacing);
        rtcp.add(other.rtcp);
        stun.add(other.stun);
        jitter.add(other.jitter);
        lateness.add(other.lateness);
        handshakeOwn.add(other.handshakeOwn);
        message.add(other.message);
        rebindGap.add(other.rebindGap);
        answer.add(other.answer);
        bargeIn.add(other.bargeIn);
        other.errors.forEach((reason, count) -> errors.merge(reason, count, Long::sum));
        other.refusals.forEach((reason, count) -> refusals.merge(reason, count, Long::sum));
    }
}
