package dev.parley.inferencestub;

import dev.parley.inferencestub.script.Script;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The behaviours that a client can ask for by name. */
enum Model {
    /** Says back each utterance. */
    PARROT,
    /** Sends back each message at once, in the format it came in. */
    ECHO,
    /** Sends 440 Hz without end. */
    TONE,
    /** Listens and sends nothing. */
    SILENCE,
    /** Answers each utterance with a spoken sentence. */
    SPEAK,
    /** Plays a script. */
    SCRIPTED;

    static Model named(String name) throws Refusal {
        for (Model model : values()) {
            if (model.label().equals(name)) {
                return model;
            }
        }
        String known = Arrays.stream(values()).map(Model::label).collect(Collectors.joining(", "));
        throw Misuse.UNKNOWN_MODEL.refusal(
                "model \"" + name + "\" is unknown; this service has " + known);
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * A new agent for one call.
     *
     * @param script that a scripted agent plays
     */
    Agent agent(CallContext call, Script script) throws Refusal {
        return switch (this) {
            case PARROT -> new ParrotAgent(call);
            case ECHO -> new EchoAgent(call.voice(), call.formats().input().sampleRateHz());
            case TONE -> new ToneAgent(call.formats().output(), call.voice());
            case SILENCE -> new SilenceAgent();
            case SPEAK -> {
                requireSpeech(call, true);
                yield new SpeakAgent(call);
            }
            case SCRIPTED -> {
                requireSpeech(call, script.speaks());
                yield new ScriptedAgent(call, script);
            }
        };
    }

    private void requireSpeech(CallContext call, boolean speaks) throws Refusal {
        if (speaks && !call.synthesizer().available()) {
            throw Misuse.MODEL_NOT_INSTALLED.refusal(
                    "model \"" + label() + "\" speaks through espeak-ng, which is not installed");
        }
    }
}
