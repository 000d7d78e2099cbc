package dev.parley.transceiver.replay;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.Playout;
import dev.parley.transceiver.recording.CallTape;
import dev.parley.transceiver.speech.SpeechGate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints what happens in a replayed call as it happens, and in the end what it took. Entered by the
 * thread that replays and by those of the stream.
 */
final class ReplayLog implements CallTape, SpeechGate.Listener {
    private static final int MAX_TEXT = 200;

    private final Consumer<String> out;
    private final LongSupplier clock;
    private final Set<String> begun = new HashSet<>();
    private final List<Double> latencies = new ArrayList<>();
    private long silentSinceNanos = -1;

    /** When the input's clock began. */
    private long startNanos;

    private long audioBytes;
    private long audioMessages;
    private long played;
    private long cleared;
    private long latestNanos;

    /**
     * @param clock of the replay, from its beginning
     */
    ReplayLog(Consumer<String> out, LongSupplier clock) {
        this.out = out;
        this.clock = clock;
    }

    /** A line of its own, with the time. */
    synchronized void say(String what) {
        out.accept(seconds(clock.getAsLong()) + " s  " + what);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%9.3f", nanos / 1e9);
    }

    // --- what the caller does, as we hear it

    @Override
    public synchronized void started(long offsetSamples) {
        silentSinceNanos = -1;
        say("the caller speaks");
    }

    @Override
    public synchronized void stopped(long offsetSamples) {
        silentSinceNanos = startNanos + offsetSamples * 1_000_000L / 48;
        say("the caller is silent since " + seconds(silentSinceNanos).strip() + " s");
    }

    /** The input's clock began then. */
    synchronized void inputBegan(long atNanos) {
        startNanos = atNanos;
    }

    // --- what crosses the stream

    @Override
    public synchronized void fromInference(ConverseResponse message) {
        switch (message.getMessageCase()) {
            case OUTPUT_AUDIO -> audio(message.getOutputAudio());
            case SESSION_READY -> {}
            case TRANSCRIPT ->
                    say(
                            "transcript, "
                                    + word(message.getTranscript().getSpeaker())
                                            .replace("speaker_", "")
                                    + ": "
                                    + shortened(message.getTranscript().getText()));
            case SERVER_EVENT -> say("event for the client: " + payload(message.getServerEvent()));
            case CLEAR_AUDIO ->
                    say("clear_audio " + quoted(message.getClearAudio().getResponseId()));
            case ERROR ->
                    say(
                            "error "
                                    + message.getError().getCode()
                                    + ": "
                                    + shortened(message.getError().getMessage()));
            case SESSION_END -> say("session_end: " + message.getSessionEnd().getMessage());
            case FUNCTION_CALL ->
                    say(
                            "function_call "
                                    + message.getFunctionCall().getName()
                                    + " "
                                    + shortened(message.getFunctionCall().getArguments()));
            case OUTPUT_TEXT -> say("text: " + shortened(message.getOutputText().getText()));
            case MARK,
                    PAUSE_AUDIO,
                    RESUME_AUDIO,
                    RESUME_POINT,
                    HANDOVER,
                    CLOSE_CHANNEL,
                    RESPONSE_STARTED,
                    RESPONSE_DONE,
                    RATE_LIMITS ->
                    say(word(message.getMessageCase()));
            case MESSAGE_NOT_SET -> say("a message that this version does not know");
        }
    }

    private void audio(OutputAudio audio) {
        audioMessages++;
        audioBytes += audio.getAudio().size();
        if (begun.add(audio.getResponseId())) {
            say(response(audio.getResponseId()) + "its first audio has come" + since());
        }
    }

    @Override
    public synchronized void toInference(ConverseRequest message) {
        switch (message.getMessageCase()) {
            case SPEECH_STARTED, SPEECH_STOPPED, DTMF_INPUT, MARK_REACHED, INPUT_COMMITTED ->
                    say("told: " + word(message.getMessageCase()));
            case MESSAGE_REJECTED ->
                    say("message_rejected: " + message.getMessageRejected().getMessage());
            default -> {}
        }
    }

    @Override
    public void note(String text) {
        say(text);
    }

    private String since() {
        if (silentSinceNanos < 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                ", %.0f ms after the caller's last word",
                (clock.getAsLong() - silentSinceNanos) / 1e6);
    }

    // --- what the caller hears

    /** Sees what a playout does, before it is reported. */
    Playout.Listener watching(Playout.Listener reports) {
        return new Playout.Listener() {
            @Override
            public void started(PlayedItem item) {
                heard(item);
                reports.started(item);
            }

            @Override
            public void progressed(PlayedItem item) {
                reports.progressed(item);
            }

            @Override
            public void stopped(PlayedItem item) {
                say(response(item.responseId()) + "heard for " + item.sentMillis() + " ms");
                reports.stopped(item);
            }

            @Override
            public void cleared(@Nullable PlayedItem item, long clearedSamples) {
                cut(item, clearedSamples);
                reports.cleared(item, clearedSamples);
            }

            @Override
            public void paused(@Nullable PlayedItem item) {
                say("paused");
                reports.paused(item);
            }

            @Override
            public void marked(OutputItem.Mark mark) {
                reports.marked(mark);
            }

            @Override
            public void hungUp(String message) {
                reports.hungUp(message);
            }
        };
    }

    private synchronized void heard(PlayedItem item) {
        say(response(item.responseId()) + "the caller hears it" + since());
        if (silentSinceNanos >= 0) {
            latencies.add((clock.getAsLong() - silentSinceNanos) / 1e6);
            // The next one that begins answers nothing anew.
            silentSinceNanos = -1;
        }
    }

    private synchronized void cut(@Nullable PlayedItem item, long clearedSamples) {
        cleared++;
        String what =
                item == null
                        ? ""
                        : " " + quoted(item.responseId()) + " after " + item.sentMillis() + " ms";
        say("cut" + what + ", " + clearedSamples / 48 + " ms of output dropped");
    }

    /** Something happened later than it did by so much. */
    synchronized void late(long nanos) {
        latestNanos = Math.max(latestNanos, nanos);
    }

    synchronized void played(int samples) {
        played += samples;
    }

    private static String response(String name) {
        return "response " + quoted(name) + ": ";
    }

    private static String quoted(String name) {
        return '"' + name + '"';
    }

    private static String word(Enum<?> kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static String payload(ServerEvent event) {
        return event.hasText() ? shortened(event.getText()) : event.getBinary().size() + " bytes";
    }

    private static String shortened(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + " ...";
    }

    /** What it all took. */
    synchronized void summary(double readyMillis) {
        out.accept("");
        total("accepted after", millis(readyMillis) + ", with connecting");
        total("sent late by at most", millis(latestNanos / 1e6));
        total("responses", begun.size() + ", cut " + cleared);
        total(
                "audio of the backend",
                audioMessages
                        + " messages, "
                        + audioBytes
                        + " bytes; "
                        + String.format(Locale.ROOT, "%.1f s", played / 48_000.0)
                        + " were heard");
        List<Double> sorted = latencies.stream().sorted().toList();
        if (!sorted.isEmpty()) {
            total(
                    "last word to first sound",
                    millis(sorted.get(sorted.size() / 2))
                            + " median of "
                            + sorted.size()
                            + ", "
                            + millis(sorted.getFirst())
                            + " to "
                            + millis(sorted.getLast()));
        }
    }

    private static String millis(double millis) {
        return String.format(Locale.ROOT, "%.1f ms", millis);
    }

    private void total(String name, String value) {
        out.accept(String.format(Locale.ROOT, "%-26s %s", name, value));
    }
}
