package dev.parley.signaling.calls;

import java.util.regex.Pattern;

/** What a model may be called. Names beyond that are refused before any transceiver is asked. */
public final class ModelName {
    /** The rule in words, for whoever broke it. */
    public static final String RULE =
            "a model name is 1 to 128 letters, digits and characters of . _ - : /";

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._:/-]{1,128}");

    private ModelName() {}

    /** Whether this may be the name of a model. */
    public static boolean isValid(String name) {
        return VALID.matcher(name).matches();
    }
}
