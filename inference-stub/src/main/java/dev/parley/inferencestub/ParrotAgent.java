package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.ResponseStatus;
import java.util.Locale;

/**
 * Waits until a person has finished a sentence and says it back. Speaking again while the parrot
 * does interrupts it.
 */
final class ParrotAgent implements Agent, Hearing.Listener {
    private final Voice voice;
    private final WireFormat format;
    private final Hearing ear;
    private final boolean realtime;
    private final Answer answer;
    private int responses;

    ParrotAgent(CallContext call) {
        this.voice = call.voice();
        this.format = call.formats().input();
        this.realtime = call.formats().realtime();
        this.ear = Hearing.of(call, this);
        this.answer = new Answer(voice, call.formats().output(), true);
    }

    @Override
    public void onAudio(InputAudio audio, long nowNanos) {
        ear.onAudio(audio, nowNanos);
    }

    @Override
    public void onEvent(ConverseRequest event) {
        answer.onEvent(event);
        ear.onEvent(event);
    }

    @Override
    public void onTick(long nowNanos) {
        ear.onTick(nowNanos);
        answer.sendUnsent();
    }

    @Override
    public void onSpeech() {
        answer.interrupt();
    }

    @Override
    public void onUtterance(short[] samples) {
        double seconds = samples.length / (double) format.sampleRateHz();
        if (!realtime) {
            voice.transcribe("", String.format(Locale.ROOT, "(heard %.1f s)", seconds));
        }
        responses++;
        String responseId = "parrot-" + responses;
        if (realtime) {
            voice.transcribeAgent(responseId, String.format(Locale.ROOT, "(said %.1f s)", seconds));
        }
        answer.say(responseId, samples);
    }

    @Override
    public void onRequest(String responseId, String text) {
        if (text.isEmpty()) {
            voice.sayNothing(responseId);
            return;
        }
        voice.write(responseId, text);
        voice.done(responseId, ResponseStatus.RESPONSE_STATUS_COMPLETED);
    }
}
