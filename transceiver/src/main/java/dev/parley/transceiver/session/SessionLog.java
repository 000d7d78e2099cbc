package dev.parley.transceiver.session;

import dev.parley.transceiver.media.CallQuality;
import dev.parley.transceiver.media.CallSummary;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The two lines that a call leaves in the log: no address, no SDP, no key. The loop says what there
 * is to tell, and whoever writes the line makes words of it.
 */
final class SessionLog {
    private static final Logger LOGGER = System.getLogger(Session.class.getName());
    private static final Pattern UNPRINTABLE = Pattern.compile("[^\\x20-\\x7E]|\"");

    private SessionLog() {}

    private record Started(SessionId id, String model) {
        @Override
        public String toString() {
            return "session=" + id + " started model=" + printable(model);
        }
    }

    private record Ended(
            SessionId id, Session.Ending ending, SetupPhases phases, SessionSnapshot last) {
        @Override
        public String toString() {
            String message = ending.message();
            return "session="
                    + id
                    + " ended reason="
                    + ending.reason().label()
                    + (message.isEmpty() ? "" : " message=\"" + printable(message) + "\"")
                    + String.format(Locale.ROOT, " seconds=%.1f ", last.ageNanos() / 1e9)
                    + phases
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
                    + String.format(Locale.ROOT, " jitter_ms=%.1f", last.jitterNanos() / 1e6)
                    + quality(last.quality())
                    + (last.data() == null
                            ? ""
                            : " data=\"" + printable(last.data().toString()) + "\"");
        }
    }

    static void started(Session session) {
        LOGGER.log(Level.INFO, "{0}", new Started(session.id(), session.spec().model()));
    }

    static void ended(Session session, Session.Ending ending, SessionSnapshot last) {
        LOGGER.log(Level.INFO, "{0}", new Ended(session.id(), ending, session.phases(), last));
    }

    private static String quality(@Nullable CallSummary quality) {
        return quality == null
                ? ""
                : " concealed_ms="
                        + quality.concealedMillis()
                        + side("in", quality.input())
                        + side("out", quality.output());
    }

    private static String side(String name, CallQuality.@Nullable Summary side) {
        return side == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        " %1$s_loss=%2$.2f%% %1$s_r=%3$.0f %1$s_mos=%4$.2f",
                        name,
                        side.lossShare() * 100,
                        side.rating(),
                        side.meanOpinionScore());
    }

    /** What others wrote must not break the line or the terminal. */
    private static String printable(String text) {
        String cut = text.length() > 400 ? text.substring(0, 400) : text;
        return UNPRINTABLE.matcher(cut).replaceAll("?");
    }
}
