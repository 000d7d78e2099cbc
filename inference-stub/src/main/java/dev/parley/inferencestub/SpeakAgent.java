package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import java.time.LocalTime;
import java.time.ZoneId;

/**
 * Answers each utterance with a sentence of its own. The place of a model is taken by {@link
 * SmallTalk}, that of a voice by a {@link Synthesizer}, which works on another thread: an agent
 * never waits for it but is woken when the speech is there.
 */
final class SpeakAgent implements Agent, Hearing.Listener {
    private final CallContext call;
    private final Hearing ear;
    private final Answer answer;
    private final SpokenText sentence;
    private final SmallTalk smallTalk = new SmallTalk();
    private int responses;

    SpeakAgent(CallContext call) {
        this.call = call;
        this.ear = Hearing.of(call, this);
        this.answer = new Answer(call.voice(), call.formats().output(), true);
        this.sentence = new SpokenText(call);
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
        String responseId = "speak-" + (responses + 1);
        short[] samples = sentence.poll(responseId);
        if (samples != null) {
            responses++;
            answer.say(responseId, samples);
        }
        answer.sendUnsent();
    }

    @Override
    public void onSpeech() {
        sentence.forget();
        answer.interrupt();
    }

    @Override
    public void onRequest(String responseId, String text) {
        sentence.ask(text.isEmpty() ? "I have nothing to say." : "You wrote: " + text);
    }

    @Override
    public void onUtterance(short[] samples) {
        LocalTime now = LocalTime.ofInstant(call.clock().instant(), ZoneId.systemDefault());
        sentence.ask(smallTalk.reply(samples, call.formats().input().sampleRateHz(), now));
    }
}
