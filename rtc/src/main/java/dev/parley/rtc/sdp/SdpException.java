package dev.parley.rtc.sdp;

/**
 * An offer that cannot be answered. The message is fit for the client's developer: the line's
 * number, the line, and why.
 */
public final class SdpException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 80;

    private final int lineNumber;
    private final String line;
    private final String reason;

    SdpException(int lineNumber, String line, String reason) {
        super("line " + lineNumber + " (" + shorten(line) + "): " + reason);
        this.lineNumber = lineNumber;
        this.line = shorten(line);
        this.reason = reason;
    }

    /**
     * Number of the line at fault, from 1; where something is missing, of the line that lacks it.
     */
    public int lineNumber() {
        return lineNumber;
    }

    /** The line at fault, without its end, cut to a readable length, control characters as ?. */
    public String line() {
        return line;
    }

    /** Why it cannot be answered. */
    public String reason() {
        return reason;
    }

    private static String shorten(String line) {
        String shown = line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
        // What is at fault may be a character that a terminal would obey or a log take for a line.
        return shown.replaceAll("[\\p{Cntrl}\\x{80}-\\x{9F}\\x{2028}\\x{2029}]", "?");
    }
}
