package dev.parley.inferencestub;

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
    SILENCE;

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

    Agent agent(InferenceStubConfig config, Formats formats, Voice voice) {
        return switch (this) {
            case PARROT -> new ParrotAgent(config, formats, voice);
            case ECHO -> new EchoAgent(voice);
            case TONE -> new ToneAgent(formats.output(), voice);
            case SILENCE -> new SilenceAgent();
        };
    }
}
