package dev.parley.rtc.sctp;

/** Reads the causes of an ERROR or ABORT, RFC 9260 3.3.10. */
final class ErrorCauses {
    private static final int MAX_TEXT = 128;

    private ErrorCauses() {}

    static boolean contains(PacketReader chunk, int cause) {
        TlvReader causes = new TlvReader(chunk.bytes(), chunk.valueAt(), chunk.valueLength());
        while (causes.next()) {
            if (causes.type() == cause) {
                return true;
            }
        }
        return false;
    }

    /** The first cause, for a person; the peer's words are reduced to what is printable. */
    static String describe(PacketReader chunk) {
        TlvReader causes = new TlvReader(chunk.bytes(), chunk.valueAt(), chunk.valueLength());
        if (!causes.next()) {
            return "no cause given";
        }
        StringBuilder text = new StringBuilder("cause " + causes.type());
        for (int i = 0; i < Math.min(causes.valueLength(), MAX_TEXT); i++) {
            int c = Wire.u8(chunk.bytes(), causes.valueAt() + i);
            boolean printable = c >= ' ' && c < 0x7F;
            text.append(i == 0 ? ": " : "").append(printable ? (char) c : '.');
        }
        return text.toString();
    }
}
