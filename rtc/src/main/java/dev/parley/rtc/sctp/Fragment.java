package dev.parley.rtc.sctp;

/**
 * What one DATA or I-DATA chunk carries.
 *
 * @param messageNumber SSN of DATA, MID of I-DATA
 * @param fragmentNumber FSN of I-DATA, 0 of DATA
 * @param ppid of the message; of I-DATA only in the first fragment
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
record Fragment(
        int streamId,
        boolean unordered,
        int messageNumber,
        int fragmentNumber,
        int ppid,
        boolean begins,
        boolean ends,
        byte[] payload) {
    boolean isWhole() {
        return begins && ends;
    }

    boolean belongsWith(Fragment other) {
        return streamId == other.streamId
                && unordered == other.unordered
                && (unordered || messageNumber == other.messageNumber);
    }
}
