package dev.parley.inferencestub.script;

/** A script that cannot be used. The message names the place in it and what is wrong there. */
public final class ScriptException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    ScriptException(String place, String reason) {
        this((place.isEmpty() ? "script" : "script." + place) + ": " + reason);
    }

    private ScriptException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** The place and what is wrong there. */
    public String reason() {
        return reason;
    }
}
