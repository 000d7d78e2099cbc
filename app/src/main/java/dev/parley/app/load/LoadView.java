package dev.parley.app.load;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Shows a run while it goes on: a screen that is drawn anew on a terminal, lines elsewhere. */
final class LoadView implements LoadRun.Listener {
    private static final int BAR = 40;
    private static final int LINES = 9;
    private static final int OFTEN_SECONDS = 60;
    private static final int SELDOM = 5;

    private final LoadOptions options;
    private final PrintStream out;
    private final boolean terminal;
    private boolean drawn;
    private int told;

    LoadView(LoadOptions options, PrintStream out, boolean terminal) {
        this.options = options;
        this.out = out;
        this.terminal = terminal;
    }

    @Override
    public void sampled(LoadSample sample, Tally interval, Tally total) {
        if (terminal) {
            draw(sample, total);
        } else {
            line(sample, total);
        }
    }

    private void line(LoadSample sample, Tally total) {
        told++;
        if (told > OFTEN_SECONDS && told % SELDOM != 0) {
            return;
        }
        out.printf(
                Locale.ROOT,
                "%5.0f s  %d of %d calls, %d failed | %d up, %d down packets/s | rtt %s ms, p99 %s"
                        + " | longest gap %s ms | lost down %s%n",
                sample.seconds(),
                sample.active(),
                options.sessions(),
                total.failed,
                sample.sent(),
                sample.received(),
                Figures.text(sample.roundTripMillis()),
                Figures.text(sample.roundTripP99Millis()),
                Figures.text(sample.gapMillis()),
                Figures.percent(sample.lossDown()));
    }

    private void draw(LoadSample sample, Tally total) {
        if (drawn) {
            out.print("\u001b[" + LINES + "A");
        }
        drawn = true;
        double whole = (options.sessions() - 1) / options.perSecond() + options.seconds();
        int filled = (int) Math.clamp(sample.seconds() / whole * BAR, 0, BAR);
        List<String> lines =
                List.of(
                        "%s  model %s".formatted(options.url(), options.model()),
                        "[%s%s] %.0f of %.0f s"
                                .formatted(
                                        "#".repeat(filled),
                                        ".".repeat(BAR - filled),
                                        sample.seconds(),
                                        whole),
                        "calls        %d of %d, %d failed, %d ended early"
                                .formatted(
                                        sample.active(),
                                        options.sessions(),
                                        total.failed,
                                        total.brokenOff),
                        "packets/s    %d up, %d down".formatted(sample.sent(), sample.received()),
                        "round trip   p50 %s, p99 %s ms"
                                .formatted(
                                        Figures.text(sample.roundTripMillis()),
                                        Figures.text(sample.roundTripP99Millis())),
                        "setup        p50 %s, p99 %s ms"
                                .formatted(
                                        Figures.text(Figures.millis(total.firstAudio, 50)),
                                        Figures.text(Figures.millis(total.firstAudio, 99))),
                        "longest gap  %s ms, lost down %s"
                                .formatted(
                                        Figures.text(sample.gapMillis()),
                                        Figures.percent(sample.lossDown())),
                        "generator    sends up to %s ms late (p99)"
                                .formatted(Figures.text(sample.lateP99Millis())),
                        "errors       %s"
                                .formatted(total.errors.isEmpty() ? "none" : total.errors));
        lines.forEach(each -> out.print("\u001b[2K" + each + "\n"));
        out.flush();
    }

    /** The figures at the end. */
    void summary(LoadResults results) {
        Tally total = results.total();
        Tally told = results.told();
        out.println();
        row(
                "calls",
                "%d offered, %d connected, %d failed, %d ended early, %d without audio"
                        .formatted(
                                total.offered,
                                total.connected,
                                total.failed,
                                total.brokenOff,
                                total.withoutAudio));
        times("setup, POST to first audio", results.setup());
        times("  POST to answer", total.post);
        times("  answer to ICE", total.ice);
        times("  ICE to DTLS", total.dtls);
        times("round trip by " + roundTripName(results.roundTripBasis()), results.roundTrip());
        if (!results.roundTripBasis().equals("stun")) {
            times("round trip by STUN", told.stun);
        }
        times("jitter of what came", told.jitter);
        row(
                "longest gap",
                Figures.text(told.gapMaxNanos / 1e6)
                        + " ms"
                        + (results.isSteady()
                                ? ", of the whole run "
                                        + Figures.text(total.gapMaxNanos / 1e6)
                                        + " ms"
                                : ""));
        row(
                "lost",
                "%s (up %s, down %s) of %d packets up, %d down"
                        .formatted(
                                Figures.percent(results.loss()),
                                Figures.percent(results.lossUp()),
                                Figures.percent(results.lossDown()),
                                total.sent,
                                total.received));
        if (results.isEcho()) {
            row("lost in calls' first second", Figures.percent(results.lossAtFirst()));
        }
        extras(results);
        row(
                "generator",
                "sends late by p50 %s, p99 %s, at most %s ms%s"
                        .formatted(
                                Figures.text(Figures.millis(told.lateness, 50)),
                                Figures.text(Figures.millis(told.lateness, 99)),
                                Figures.text(Figures.maxMillis(told.lateness)),
                                results.isTrustworthy() ? "" : complaint(results)));
        if (!total.errors.isEmpty()) {
            row("errors", total.errors.toString());
        }
        if (!total.refusals.isEmpty()) {
            row("told to come again", total.refusals.toString());
        }
    }

    private static String roundTripName(String basis) {
        return switch (basis) {
            case "echo" -> "own packets echoed";
            case "rtcp" -> "RTCP reports";
            default -> "STUN checks";
        };
    }

    private static String complaint(LoadResults results) {
        Tally total = results.total();
        if (!results.keptHandshakesTime()) {
            return "; its own part of a handshake takes p99 %s ms: calls connect sooner than it says"
                    .formatted(Figures.text(Figures.millis(total.handshakeOwn, 99)));
        }
        if (total.lateness.getTotalCount() == 0) {
            return "; it has sent nothing";
        }
        return "; too little processor for it: %d packets left out, %d lost in its sockets"
                .formatted(total.skipped, total.kernelDrops + total.unsent);
    }

    private void extras(LoadResults results) {
        Tally total = results.total();
        if (results.options().messagesPerSecond() >= 0) {
            times("data channel round trip", total.message);
        }
        if (results.options().talkSeconds() > 0) {
            times("answer after a pause", total.answer);
            row("  pauses without an answer", total.answersMissing + " of " + pauses(total));
            times("silence after barge-in", total.bargeIn);
            row("  barge-ins that it talked over", Long.toString(total.bargeInsUnanswered));
        }
        if (total.rebinds > 0) {
            times("gap after a rebinding", total.rebindGap);
            if (total.rebindsUnanswered > 0) {
                row("  rebindings never answered", Long.toString(total.rebindsUnanswered));
            }
        }
        if (total.restarts > 0) {
            row("ICE restarts", Long.toString(total.restarts));
        }
        if (total.foreign > 0) {
            row("FOREIGN PACKETS", total.foreign + " of other calls came back");
        }
    }

    private static long pauses(Tally total) {
        return total.answersMissing + total.turns;
    }

    private void times(String name, org.HdrHistogram.Histogram micros) {
        row(
                name,
                "p50 %s, p90 %s, p99 %s, at most %s ms"
                        .formatted(
                                Figures.text(Figures.millis(micros, 50)),
                                Figures.text(Figures.millis(micros, 90)),
                                Figures.text(Figures.millis(micros, 99)),
                                Figures.text(Figures.maxMillis(micros))));
    }

    private void row(String name, String text) {
        out.printf("%-34s %s%n", name, text);
    }
}
