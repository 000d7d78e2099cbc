package dev.parley.transceiver.session;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;

/** The two lines that a call leaves in the log: no address, no SDP, no key. */
final class SessionLog {
    private static final Logger LOGGER = System.getLogger(Session.class.getName());

    private SessionLog() {}

    static void started(Session session) {
        LOGGER.log(
                Level.INFO,
                "session=" + session.id() + " started model=" + printable(session.spec().model()));
    }

    static void ended(Session session, Session.Ending ending, SessionSnapshot last) {
        LOGGER.log(
                Level.INFO,
                "session="
                        + session.id()
                        + " ended reason="
                        + ending.reason().label()
                        + (ending.message().isEmpty()
                                ? ""
                                : " message=\"" + printable(ending.message()) + "\"")
                        + String.format(Locale.ROOT, " seconds=%.1f ", last.ageNanos() / 1e9)
                        + session.phases()
                        + " received="
                        + last.received()
                        + " sent="
                        + last.sent()
                        + " lost="
                        + last.lost()
                        + " input_dropped="
                        + last.inputDropped()
                        + " remote_lost="
                        + last.remoteLost()
                        + (last.roundTripNanos() < 0
                                ? ""
                                : String.format(
                                        Locale.ROOT, " rtt_ms=%.1f", last.roundTripNanos() / 1e6))
                        + String.format(Locale.ROOT, " jitter_ms=%.1f", last.jitterNanos() / 1e6));
    }

    /** What others wrote must not break the line or the terminal. */
    private static String printable(String text) {
        String cut = text.length() > 200 ? text.substring(0, 200) : text;
        return cut.replaceAll("[^\\x20-\\x7E]|\"", "?");
    }
}
