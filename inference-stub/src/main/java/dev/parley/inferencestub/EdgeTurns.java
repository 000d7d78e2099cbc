package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.InputCommitted;
import dev.parley.proto.inference.v1.ItemCreated;
import dev.parley.proto.inference.v1.ResponseRequested;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Turns as the edge tells them, where it speaks the Realtime API's events: by its own detector or
 * by the client. Keeps what was heard lately, and what the client has written since the last
 * response.
 */
final class EdgeTurns implements Hearing {
    private static final double MILLIS_PER_SECOND = 1_000;

    /** More of what the client has written is forgotten. */
    private static final int MAX_TEXT_CHARS = 100_000;

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Piece(long startMs, long endMs, short[] samples) {}

    private final Listener listener;
    private final Voice voice;
    private final WireFormat format;
    private final long keptMs;
    private final ArrayDeque<Piece> heard = new ArrayDeque<>();
    private short @Nullable [] unanswered;
    private StringJoiner written = new StringJoiner("\n");

    EdgeTurns(CallContext call, Listener listener) {
        this.listener = listener;
        this.voice = call.voice();
        this.format = call.formats().input();
        this.keptMs = call.config().maxUtterance().toMillis();
    }

    @Override
    public void onAudio(InputAudio audio, long nowNanos) {
        short[] samples = format.decode(audio.getAudio());
        long start = audio.getAudioOffsetMs();
        long end = start + samples.length * 1_000L / format.sampleRateHz();
        heard.add(new Piece(start, end, samples));
        while (end - heard.getFirst().startMs() > keptMs) {
            heard.removeFirst();
        }
    }

    @Override
    public void onEvent(ConverseRequest event) {
        switch (event.getMessageCase()) {
            case SPEECH_STARTED -> {
                if (!event.getSpeechStarted().getKeepSpeaking()) {
                    listener.onSpeech();
                }
            }
            case INPUT_COMMITTED -> committed(event.getInputCommitted());
            case ITEM_CREATED -> created(event.getItemCreated());
            case RESPONSE_REQUESTED -> requested(event.getResponseRequested());
            default -> {}
        }
    }

    private void committed(InputCommitted turn) {
        short[] samples = samples(turn.getAudioStartMs(), turn.getAudioEndMs());
        voice.transcribe(
                turn.getItemId(),
                String.format(
                        Locale.ROOT,
                        "(heard %.1f s)",
                        (turn.getAudioEndMs() - turn.getAudioStartMs()) / MILLIS_PER_SECOND));
        if (turn.getAwaitRequest()) {
            unanswered = samples;
        } else {
            listener.onUtterance(samples);
        }
    }

    private void created(ItemCreated item) {
        String text =
                item.hasMessage()
                        ? item.getMessage().getText()
                        : item.getFunctionCallOutput().getOutput();
        if (written.length() + text.length() <= MAX_TEXT_CHARS) {
            written.add(text);
        }
    }

    private void requested(ResponseRequested request) {
        short[] samples = unanswered;
        String text = written.toString();
        unanswered = null;
        written = new StringJoiner("\n");
        if (samples == null) {
            listener.onRequest(request.getResponseId(), text);
        } else {
            listener.onUtterance(samples);
        }
    }

    private short[] samples(long startMs, long endMs) {
        int length = 0;
        for (Piece piece : heard) {
            length += within(piece, startMs, endMs) ? piece.samples().length : 0;
        }
        short[] all = new short[length];
        int at = 0;
        for (Piece piece : heard) {
            if (within(piece, startMs, endMs)) {
                System.arraycopy(piece.samples(), 0, all, at, piece.samples().length);
                at += piece.samples().length;
            }
        }
        return all;
    }

    private static boolean within(Piece piece, long startMs, long endMs) {
        return piece.endMs() > startMs && piece.startMs() < endMs;
    }

    @Override
    public void onTick(long nowNanos) {}
}
