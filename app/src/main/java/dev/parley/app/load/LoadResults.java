package dev.parley.app.load;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a run has shown, as figures with stable names. Round trip, jitter, gaps and loss are those
 * under the whole load, once all calls were there; where a run was too short for that, and under
 * names that say so, of the whole run. Set-ups are those of the whole run.
 *
 * @param total of the whole run
 * @param steady of the time when all calls were there
 * @param hopeless why the run was given up before anybody got through; null when it was not
 */
public record LoadResults(
        LoadOptions options,
        Tally total,
        Tally steady,
        List<LoadSample> samples,
        @Nullable String hopeless) {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final String[] PERCENTILE_NAMES = {"p50", "p90", "p99", "p999"};

    /** A generator that was later than this says more about itself than about the server. */
    private static final double TRUSTED_LATE_MILLIS = 5;

    /** Bounds the few packets beyond the first bound: after a frame's time they leave in pairs. */
    private static final double TRUSTED_LATEST_MILLIS = 20;

    /** A generator whose own part of a handshake takes longer measures itself. */
    private static final double TRUSTED_HANDSHAKE_MILLIS = 20;

    /** What a run shows whose time under the whole load is not told apart. */
    LoadResults(
            LoadOptions options, Tally total, List<LoadSample> samples, @Nullable String hopeless) {
        this(options, total, new Tally(), samples, hopeless);
    }

    /** Whether there was a time with all calls. */
    boolean isSteady() {
        return steady.received > 0 && steady.sent > 0;
    }

    /** What round trip, jitter and gaps are told of. */
    Tally told() {
        return isSteady() ? steady : total;
    }

    public long connected() {
        return total.connected;
    }

    /** Whether callers have heard their own packets, so that each that did not return is missed. */
    boolean isEcho() {
        return total.returned > 0;
    }

    /** Where the round trip comes from: own packets back from an echo, else RTCP, else STUN. */
    String roundTripBasis() {
        return basis(told());
    }

    private static String basis(Tally of) {
        if (of.echo.getTotalCount() > 0) {
            return "echo";
        }
        if (of.rtcp.getTotalCount() > 0) {
            return "rtcp";
        }
        return of.stun.getTotalCount() > 0 ? "stun" : "none";
    }

    Histogram roundTrip() {
        return roundTrip(told());
    }

    private static Histogram roundTrip(Tally of) {
        return switch (basis(of)) {
            case "echo" -> of.echo;
            case "rtcp" -> of.rtcp;
            default -> of.stun;
        };
    }

    /** The setup is over with the first audio; where none came, with keys for it. */
    Histogram setup() {
        return hasAudio() ? total.firstAudio : total.connect;
    }

    private boolean hasAudio() {
        return total.firstAudio.getTotalCount() > 0;
    }

    /** Packets that left and did not come back from an echo, once each call was a second old. */
    double lossRoundTrip() {
        return isEcho() ? share(total.marked - total.markedAndReturned, total.marked) : Double.NaN;
    }

    // Each call adds what it knows of the time with all calls when it ends, so in the total.
    private double lossSteady() {
        return share(total.markedSteady - total.returnedSteady, total.markedSteady);
    }

    /** The same of each call's first second. */
    double lossAtFirst() {
        return isEcho()
                ? share(total.markedAtFirst - total.returnedAtFirst, total.markedAtFirst)
                : Double.NaN;
    }

    /** By the server's receiver reports; those left out on purpose are not the network's. */
    double lossUp() {
        return isSteady() && total.sentWithReportsSteady > 0
                ? share(total.lostUpSteady, total.sentWithReportsSteady)
                : lossUpOfAll();
    }

    private double lossUpOfAll() {
        return share(total.lostUp, total.sentWithReports);
    }

    double lossDown() {
        return lossDown(told());
    }

    private static double lossDown(Tally of) {
        return share(of.expectedDown - of.arrivedDown, of.expectedDown);
    }

    /** Of what was sent both ways the share that was lost, as measured best. */
    public double loss() {
        if (isSteady() && measuresRoundTrip() && total.markedSteady > 0) {
            return lossSteady();
        }
        return measuresRoundTrip() ? lossRoundTrip() : loss(lossUp(), lossDown(), told());
    }

    /** The same with the time when calls were still being placed. */
    double lossOfAll() {
        return measuresRoundTrip() ? lossRoundTrip() : loss(lossUpOfAll(), lossDown(total), total);
    }

    private static double loss(double up, double down, Tally of) {
        if (Double.isNaN(up) || Double.isNaN(down)) {
            return Double.isNaN(up) ? down : up;
        }
        return (up * of.sent + down * of.expectedDown) / Math.max(1, of.sent + of.expectedDown);
    }

    /** Longest time without a packet in any call; NaN when none ever came. */
    public double gapMaxMillis() {
        return gap(total);
    }

    /** An echo's calls of less than a second have no packets that count. */
    private boolean measuresRoundTrip() {
        return isEcho() && total.marked > 0;
    }

    private static double share(long part, long whole) {
        return whole == 0 ? Double.NaN : Math.max(0, part) / (double) whole;
    }

    /**
     * Whether the generator kept its own time, so that what it measured is the server's; false when
     * it has sent nothing.
     */
    public boolean isTrustworthy() {
        return Figures.millis(told().lateness, 99) <= TRUSTED_LATE_MILLIS
                && Figures.millis(told().lateness, 99.9) <= TRUSTED_LATEST_MILLIS
                && keptHandshakesTime()
                && !total.errors.containsKey(LoadCall.NO_SOCKET)
                && total.kernelDrops == 0
                && total.unsent == 0
                && total.skipped == 0;
    }

    /** Whether the set-ups are the server's and not the generator's own arithmetic. */
    boolean keptHandshakesTime() {
        return total.handshakeOwn.getTotalCount() == 0
                || Figures.millis(total.handshakeOwn, 99) <= TRUSTED_HANDSHAKE_MILLIS;
    }

    /** All of it, in the order in which it is read. */
    Map<String, Object> figures() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("url", options.url().toString());
        all.put("model", options.model());
        all.put("sessions", options.sessions());
        all.put("seconds", options.seconds());
        all.put("finished_at", Instant.now().toString());
        all.put("offered", total.offered);
        all.put("connected", total.connected);
        all.put("failed", total.failed);
        all.put("ended_early", total.brokenOff);
        all.put("calls_without_audio", total.withoutAudio);
        all.put("loss", loss());
        all.put("loss_basis", measuresRoundTrip() ? "echo" : "sequence numbers and RTCP");
        all.put("loss_first_second", lossAtFirst());
        all.put("loss_up", lossUp());
        all.put("loss_down", lossDown());
        all.put("setup_until", hasAudio() ? "first_audio" : "connected");
        times(all, "setup", setup());
        times(all, "post", total.post);
        times(all, "ice", total.ice);
        times(all, "dtls", total.dtls);
        times(all, "connect", total.connect);
        all.put("rtt_basis", roundTripBasis());
        times(all, "rtt", roundTrip());
        times(all, "rtt_above_fastest", told().variation);
        times(all, "rtcp_rtt", told().rtcp);
        times(all, "stun_rtt", told().stun);
        times(all, "jitter", told().jitter);
        times(all, "pacing_error", told().pacing);
        all.put("gap_ms_max", gap(told()));
        all.put("told_of", isSteady() ? "all calls" : "whole run");
        whole(all);
        packets(all);
        if (options.messagesPerSecond() >= 0) {
            all.put("messages_sent", total.messagesSent);
            all.put("messages_returned", total.messagesReturned);
            times(all, "message", total.message);
        }
        if (options.talkSeconds() > 0) {
            all.put("answers", total.turns);
            all.put("answers_missing", total.answersMissing);
            times(all, "answer", total.answer);
            all.put("barge_ins", total.bargeIns);
            all.put("barge_ins_unanswered", total.bargeInsUnanswered);
            times(all, "barge_in", total.bargeIn);
        }
        if (total.rebinds > 0) {
            all.put("rebinds", total.rebinds);
            all.put("rebinds_unanswered", total.rebindsUnanswered);
            times(all, "rebind_gap", total.rebindGap);
        }
        if (total.restarts > 0) {
            all.put("ice_restarts", total.restarts);
        }
        all.put("errors", total.errors);
        all.put("refused_for_now", total.refusals);
        all.put("generator", generator());
        all.put("series", series());
        return all;
    }

    private static double gap(Tally of) {
        return of.received == 0 ? Double.NaN : of.gapMaxNanos / 1e6;
    }

    private void whole(Map<String, Object> into) {
        into.put("whole_loss", lossOfAll());
        times(into, "whole_rtt", roundTrip(total));
        into.put("whole_gap_ms_max", gap(total));
    }

    private void packets(Map<String, Object> into) {
        into.put("packets_sent", total.sent);
        into.put("packets_sent_again", total.sentAgain);
        into.put("packets_received", total.received);
        into.put("packets_returned", total.returned);
        into.put("packets_of_other_calls", total.foreign);
        into.put("packets_undecryptable", total.undecryptable);
        into.put("packets_duplicate", total.duplicates);
        into.put("packets_with_reports", total.sentWithReports);
        into.put("packets_left_out_on_purpose", total.dropped + total.receivedDropped);
    }

    private Map<String, Object> generator() {
        Map<String, Object> own = new LinkedHashMap<>();
        times(own, "send_late", told().lateness);
        times(own, "handshake", total.handshakeOwn);
        own.put("packets_skipped", total.skipped);
        own.put("packets_unsent", total.unsent);
        own.put("kernel_drops", total.kernelDrops);
        own.put("kept_its_time", isTrustworthy());
        return own;
    }

    private static void times(Map<String, Object> into, String name, Histogram micros) {
        for (int i = 0; i < PERCENTILES.length; i++) {
            into.put(name + "_ms_" + PERCENTILE_NAMES[i], Figures.millis(micros, PERCENTILES[i]));
        }
        into.put(name + "_ms_max", Figures.maxMillis(micros));
    }

    private List<Map<String, Object>> series() {
        List<Map<String, Object>> series = new ArrayList<>();
        for (LoadSample sample : samples) {
            Map<String, Object> second = new LinkedHashMap<>();
            second.put("at", sample.seconds());
            second.put("active", sample.active());
            second.put("packets_sent", sample.sent());
            second.put("packets_received", sample.received());
            second.put("rtt_ms_p50", sample.roundTripMillis());
            second.put("rtt_ms_p99", sample.roundTripP99Millis());
            second.put("gap_ms_max", sample.gapMillis());
            second.put("loss_down", sample.lossDown());
            second.put("send_late_ms_p99", sample.lateP99Millis());
            series.add(second);
        }
        return series;
    }
}
