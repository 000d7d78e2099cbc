package dev.parley.inferencestub;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A text on its way through the synthesizer, one at a time. Its agent owns it; it has the
 * conversation wake the agent when the speech is there.
 */
final class SpokenText {
    private final CallContext call;
    private @Nullable CompletableFuture<short[]> speech;
    private String text = "";

    SpokenText(CallContext call) {
        this.call = call;
    }

    /** Has a text spoken, in place of the one before. */
    void ask(String wanted) {
        text = wanted;
        CompletableFuture<short[]> asked =
                call.synthesizer().speak(wanted, call.formats().output().sampleRateHz());
        speech = asked;
        var _ = asked.whenComplete((_, _) -> call.wake().run());
    }

    void forget() {
        speech = null;
    }

    boolean isAwaited() {
        return speech != null;
    }

    /**
     * The samples, once, when they are there; their text is told as a transcript of the response. A
     * failure is told as an error and forgotten.
     */
    short @Nullable [] poll(String responseId) {
        CompletableFuture<short[]> ready = speech;
        if (ready == null || !ready.isDone()) {
            return null;
        }
        speech = null;
        if (ready.isCompletedExceptionally()) {
            call.voice().report("speech_failed", "the sentence could not be spoken: " + text);
            return null;
        }
        call.voice().transcribeAgent(responseId, text);
        return ready.join();
    }
}
