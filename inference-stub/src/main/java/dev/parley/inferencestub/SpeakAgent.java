package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Answers each utterance with a sentence of its own. The place of a model is taken by {@link
 * SmallTalk}, that of a voice by a {@link Synthesizer}, which works on another thread: an agent
 * never waits for it but is woken when the speech is there.
 */
final class SpeakAgent implements Agent, Ear.Listener {
    private final CallContext call;
    private final Voice voice;
    private final Ear ear;
    private final Answer answer;
    private final SmallTalk smallTalk = new SmallTalk();
    private String sentence = "";
    private @Nullable CompletableFuture<short[]> speech;
    private int responses;

    SpeakAgent(CallContext call) {
        this.call = call;
        this.voice = call.voice();
        this.ear = new Ear(call.config(), call.formats().input(), this);
        this.answer = new Answer(voice, call.formats().output());
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
        CompletableFuture<short[]> ready = speech;
        if (ready != null && ready.isDone()) {
            speech = null;
            if (ready.isCompletedExceptionally()) {
                voice.report("speech_failed", "the sentence could not be spoken: " + sentence);
            } else {
                responses++;
                String responseId = "speak-" + responses;
                voice.transcribeAgent(responseId, sentence);
                answer.say(responseId, ready.join());
            }
        }
        answer.sendUnsent();
    }

    @Override
    public void onSpeech() {
        speech = null;
        answer.interrupt();
    }

    @Override
    public void onUtterance(short[] samples) {
        LocalTime now = LocalTime.ofInstant(call.clock().instant(), ZoneId.systemDefault());
        sentence = smallTalk.reply(samples, call.formats().input().sampleRateHz(), now);
        CompletableFuture<short[]> asked =
                call.synthesizer().speak(sentence, call.formats().output().sampleRateHz());
        speech = asked;
        var _ = asked.whenComplete((_, _) -> call.wake().run());
    }
}
