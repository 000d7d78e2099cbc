package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.inferencestub.script.Script;
import dev.parley.inferencestub.script.Script.Turn;
import dev.parley.inferencestub.script.Step;
import dev.parley.inferencestub.script.Trigger;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.ResponseStatus;
import io.grpc.Status;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Plays a {@link Script}: the same turns, delays and faults each time, which makes it the backend
 * to test an edge or a client with. A turn that is over waits for what starts the next one.
 */
final class ScriptedAgent implements Agent, Hearing.Listener {
    private static final Duration STUTTER_EVERY = Duration.ofMillis(200);
    private static final String NO_RESPONSE = "";

    private final CallContext call;
    private final Voice voice;
    private final Hearing ear;
    private final Answer answer;
    private final SpokenText sentence;
    private final List<Turn> turns;

    /** Turns begun; the last of them is the current one. */
    private int begun;

    /** Steps of the current turn that were begun. */
    private int stepsBegun;

    private boolean played;
    private long nowNanos;
    private long pausedUntilNanos;
    private short[] audio = {};

    ScriptedAgent(CallContext call, Script script) {
        this.call = call;
        this.voice = call.voice();
        this.ear = Hearing.of(call, this);
        this.answer = new Answer(voice, call.formats().output(), false);
        this.sentence = new SpokenText(call);
        this.turns = script.turns();
        this.pausedUntilNanos = call.nowNanos();
    }

    @Override
    public void onAudio(InputAudio heard, long now) {
        nowNanos = now;
        ear.onAudio(heard, now);
    }

    @Override
    public void onEvent(ConverseRequest event) {
        answer.onEvent(event);
        ear.onEvent(event);
        switch (event.getMessageCase()) {
            case SPEECH_STARTED -> {
                if (!call.formats().realtime()) {
                    onSpeech();
                }
            }
            case RESPONSE_CANCELLED -> {
                if (event.getResponseCancelled().getResponseId().equals(responseId())) {
                    breakOff();
                }
            }
            case CLIENT_EVENT -> {
                var _ = trigger(Trigger.EVENT, event.getClientEvent().getText());
            }
            case DTMF_INPUT -> {
                var _ = trigger(Trigger.DTMF, event.getDtmfInput().getDigit());
            }
            case PLAYBACK_STOPPED -> {
                played |= event.getPlaybackStopped().getResponseId().equals(responseId());
                playedOut();
            }
            default -> {}
        }
    }

    @Override
    public void onTick(long now) {
        nowNanos = now;
        ear.onTick(now);
        answer.sendUnsent();
        play();
    }

    @Override
    public void onSpeech() {
        if (begun == 0 || turns.get(begun - 1).interruptible()) {
            answer.interrupt();
            breakOff();
        }
        var _ = trigger(Trigger.SPEECH, "");
    }

    private void breakOff() {
        voice.done(responseId(), ResponseStatus.RESPONSE_STATUS_CANCELLED);
        stepsBegun = Integer.MAX_VALUE;
        sentence.forget();
        audio = new short[0];
        pausedUntilNanos = nowNanos;
    }

    @Override
    public void onUtterance(short[] samples) {
        var _ = trigger(Trigger.UTTERANCE, "");
    }

    @Override
    public void onRequest(String requested, String text) {
        if (!trigger(Trigger.REQUEST, text)) {
            voice.sayNothing(requested);
        }
    }

    private String responseId() {
        return begun == 0 ? NO_RESPONSE : "turn-" + begun;
    }

    /** Begins the next turn if that is what it waits for; answers whether it is. */
    private boolean trigger(Trigger happened, String text) {
        if (!idle() || begun == turns.size()) {
            return false;
        }
        Turn next = turns.get(begun);
        boolean awaited = next.when() == happened && text.contains(next.matching());
        if (awaited) {
            begin();
            play();
        }
        return awaited;
    }

    private void begin() {
        begun++;
        stepsBegun = 0;
        played = false;
    }

    /** Whether the current turn is over, as far as this side is concerned. */
    private boolean idle() {
        return (begun == 0 || stepsBegun >= turns.get(begun - 1).steps().size()) && !busy();
    }

    private boolean busy() {
        return sentence.isAwaited()
                || audio.length > 0
                || answer.isSending()
                || pausedUntilNanos - nowNanos > 0;
    }

    private void playedOut() {
        if (played) {
            var _ = trigger(Trigger.PLAYED, "");
        }
    }

    /** Does what can be done now. */
    private void play() {
        while (!call.over()) {
            takeSpeech();
            sendAudio();
            if (busy()) {
                return;
            }
            if (!idle()) {
                Step step = turns.get(begun - 1).steps().get(stepsBegun++);
                perform(step);
                continue;
            }
            voice.done(responseId(), ResponseStatus.RESPONSE_STATUS_COMPLETED);
            if (begun == turns.size() || turns.get(begun).when() != Trigger.NOW) {
                playedOut();
                return;
            }
            begin();
        }
    }

    private void takeSpeech() {
        short[] samples = sentence.poll(responseId());
        if (samples != null) {
            audio = samples;
        }
    }

    /** Hands audio over whole, or in pieces with pauses when the turn stutters. */
    private void sendAudio() {
        if (audio.length == 0 || answer.isSending() || pausedUntilNanos - nowNanos > 0) {
            return;
        }
        Duration stutter = turns.get(begun - 1).stutter();
        int length =
                stutter.isZero() ? audio.length : Math.min(audio.length, samples(STUTTER_EVERY));
        answer.say(responseId(), Arrays.copyOf(audio, length));
        audio = Arrays.copyOfRange(audio, length, audio.length);
        pausedUntilNanos = nowNanos + stutter.toNanos();
    }

    private int samples(Duration length) {
        return Math.toIntExact(length.toMillis() * call.formats().output().sampleRateHz() / 1_000);
    }

    private void perform(Step step) {
        switch (step) {
            case Step.Say say -> sentence.ask(say.text());
            case Step.Tone tone -> audio = Tones.sine(samples(tone.length()), rateHz());
            case Step.Pause pause -> pausedUntilNanos = nowNanos + pause.length().toNanos();
            case Step.Tell tell -> voice.transcribeAgent(responseId(), tell.text());
            case Step.Call tool ->
                    voice.call(
                            responseId(),
                            "call-" + begun + "-" + stepsBegun,
                            tool.name(),
                            tool.arguments());
            case Step.Event event -> voice.event(event.text());
            case Step.MarkHere mark -> voice.mark(mark.name());
            case Step.Clear _ -> voice.clear("");
            case Step.HangUp hangUp -> voice.hangUp(hangUp.message());
            case Step.StopReading stop -> call.stopReading(stop.length());
            case Step.Fail fail -> call.fail(Status.fromCode(fail.code()));
            case Step.Huge huge -> voice.say(ByteString.copyFrom(new byte[huge.bytes()]), "huge");
            case Step.HalfSample _ -> voice.say(ByteString.copyFrom(new byte[1]), responseId());
            case Step.ReadyAgain _ -> voice.ready(call.formats());
        }
    }

    private int rateHz() {
        return call.formats().output().sampleRateHz();
    }
}
