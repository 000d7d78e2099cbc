package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import java.util.Locale;

/**
 * Waits until a person has finished a sentence and says it back. Speaking again while the parrot
 * does interrupts it.
 */
final class ParrotAgent implements Agent, Ear.Listener {
    private final Voice voice;
    private final WireFormat format;
    private final Ear ear;
    private final Answer answer;
    private int responses;

    ParrotAgent(InferenceStubConfig config, Formats formats, Voice voice) {
        this.voice = voice;
        this.format = formats.input();
        this.ear = new Ear(config, formats.input(), this);
        this.answer = new Answer(voice, formats.output());
    }

    @Override
    public void onAudio(InputAudio audio, long nowNanos) {
        ear.onAudio(audio, nowNanos);
    }

    @Override
    public void onEvent(ConverseRequest event) {
        answer.onEvent(event);
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
        voice.transcribe(
                String.format(
                        Locale.ROOT,
                        "(heard %.1f s)",
                        samples.length / (double) format.sampleRateHz()));
        responses++;
        answer.say("parrot-" + responses, samples);
    }
}
