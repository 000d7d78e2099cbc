package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.EventSurface;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The formats of one call, chosen among those that the edge offers.
 *
 * @param realtime whether the edge is to speak the Realtime API's events with the client
 */
record Formats(WireFormat input, WireFormat output, boolean realtime) {
    Formats(WireFormat input, WireFormat output) {
        this(input, output, false);
    }

    Formats withRealtime(boolean wanted) {
        return new Formats(input, output, wanted);
    }

    /**
     * Takes what is asked for, one format both ways: {@code opus}, {@code linear16}, {@code
     * linear16/16000}, {@code mulaw}, {@code alaw}. When nothing is, echo takes Opus and the others
     * LINEAR16 at 24 kHz, or else the edge's best offer that the model can use both ways.
     */
    static Formats choose(Model model, String wanted, SessionStart start) throws Refusal {
        List<WireFormat> inputs = offered(start.getInputFormatsList());
        List<WireFormat> outputs = offered(start.getOutputFormatsList());
        if (!wanted.isEmpty()) {
            WireFormat format = WireFormat.named(wanted);
            if (!usable(model, format)) {
                throw Misuse.UNSUPPORTED_FORMAT.refusal(
                        "model " + model.label() + " works on PCM and cannot use " + format);
            }
            require(format, inputs, "input_formats");
            require(format, outputs, "output_formats");
            return new Formats(format, format);
        }
        WireFormat preferred = model == Model.ECHO ? WireFormat.OPUS : WireFormat.LINEAR16_24K;
        if (inputs.contains(preferred) && outputs.contains(preferred)) {
            return new Formats(preferred, preferred);
        }
        for (WireFormat format : inputs) {
            if (usable(model, format) && outputs.contains(format)) {
                return new Formats(format, format);
            }
        }
        throw Misuse.UNSUPPORTED_FORMAT.refusal(
                "model "
                        + model.label()
                        + " needs one format both ways; input_formats: "
                        + list(inputs)
                        + "; output_formats: "
                        + list(outputs));
    }

    SessionReady toReady() {
        return SessionReady.newBuilder()
                .setInputFormat(input.toProto())
                .setOutputFormat(output.toProto())
                .setEventSurface(
                        realtime
                                ? EventSurface.EVENT_SURFACE_REALTIME
                                : EventSurface.EVENT_SURFACE_VERBATIM)
                .build();
    }

    private static boolean usable(Model model, WireFormat format) {
        return switch (model) {
            case PARROT, TONE, SPEAK, SCRIPTED -> format.isPcm();
            case ECHO, SILENCE -> format.exists();
        };
    }

    private static void require(WireFormat format, List<WireFormat> offered, String field)
            throws Refusal {
        if (!offered.contains(format)) {
            throw Misuse.UNSUPPORTED_FORMAT.refusal(
                    format + " is not among " + field + ": " + list(offered));
        }
    }

    private static List<WireFormat> offered(List<AudioFormat> formats) {
        return formats.stream().map(WireFormat::of).toList();
    }

    private static String list(List<WireFormat> formats) {
        return formats.isEmpty()
                ? "none"
                : formats.stream().map(WireFormat::toString).collect(Collectors.joining(", "));
    }
}
