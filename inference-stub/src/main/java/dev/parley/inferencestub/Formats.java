package dev.parley.inferencestub;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.SessionStart;
import java.util.List;
import java.util.stream.Collectors;

/** The formats of one call, chosen among those that the edge offers. */
record Formats(WireFormat input, WireFormat output) {
    /** Attribute, or field of the session JSON, that asks for one format both ways. */
    private static final String KEY = "format";

    /**
     * Takes what the attribute {@code format} asks for, or else the field {@code format} of the
     * session JSON: {@code opus}, {@code linear16}, {@code linear16/16000}, {@code mulaw}, {@code
     * alaw}. Without either, echo takes Opus and the others LINEAR16 at 24 kHz, or else the edge's
     * best offer that the model can use both ways.
     */
    static Formats choose(Model model, SessionStart start) throws Refusal {
        List<WireFormat> inputs = offered(start.getInputFormatsList());
        List<WireFormat> outputs = offered(start.getOutputFormatsList());
        String wanted = wanted(start);
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

    private static String wanted(SessionStart start) throws Refusal {
        String json = start.getSessionJson();
        if (start.containsAttributes(KEY) || json.isBlank()) {
            return start.getAttributesOrDefault(KEY, "");
        }
        Struct.Builder session = Struct.newBuilder();
        try {
            JsonFormat.parser().merge(json, session);
        } catch (InvalidProtocolBufferException _) {
            throw Misuse.BAD_SESSION_JSON.refusal("session_json is not a JSON object");
        }
        return session.getFieldsOrDefault(KEY, Value.getDefaultInstance()).getStringValue();
    }

    private static boolean usable(Model model, WireFormat format) {
        return switch (model) {
            case PARROT, TONE -> format.isPcm();
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
